import gc
import os

from django.core.wsgi import get_wsgi_application
from django.db import connection
from django.urls import resolve

from ireval_site.content_types import with_plain_types
from ireval_site.laptop.turns import taking_turns

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")
django_application = get_wsgi_application()
application = with_plain_types(taking_turns(django_application) if connection.vendor == "sqlite" else django_application)

resolve("/")  # loads every view before the first visitor comes
gc.freeze()  # what is loaded stays: looking through it for garbage made somebody wait for 80 ms every few hundred requests
