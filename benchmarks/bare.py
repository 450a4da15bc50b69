"""The least that a Django view can do for a judgement: claim by one update, store by one insert. Nothing else."""

import itertools
import os
import uuid

import django
from django.conf import settings
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")
settings.ROOT_URLCONF = __name__
settings.MIDDLEWARE = []

counter = itertools.count()

TABLES = """
CREATE TABLE IF NOT EXISTS bare_slot (id integer PRIMARY KEY, worker integer);
CREATE TABLE IF NOT EXISTS bare_judgement (key char(32) PRIMARY KEY, slot integer, grade integer);
"""


def judge(request: HttpRequest) -> HttpResponse:
    slot = int(request.GET["slot"])
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE bare_slot SET worker = %s WHERE id = %s AND worker IS NULL", [1, slot])
        cursor.execute("INSERT INTO bare_judgement VALUES (%s, %s, %s)", [uuid.uuid4().hex, slot, 2])
    return HttpResponse("ok")


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


urlpatterns = [path("judge", judge), path("healthz", healthz)]

django.setup()

from django.core.handlers.wsgi import WSGIHandler  # noqa: E402  after setup, as in any WSGI module

application = WSGIHandler()
