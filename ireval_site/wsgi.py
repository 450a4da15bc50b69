import os

from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.urls import resolve

from ireval_site.content_types import with_plain_types
from ireval_site.laptop.turns import taking_turns
from ireval_site.startup import loading

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")
with loading():  # what stays: looking through it for garbage made somebody wait for 80 ms every few hundred requests
    django_application = get_wsgi_application()
    resolve("/")  # loads every view before the first visitor comes
application = with_plain_types(taking_turns(django_application) if connection.vendor == "sqlite" else django_application)
