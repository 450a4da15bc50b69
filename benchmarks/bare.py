"""The least that Django can do for a judgement: a page that claims by one query, a submit that stores by one. Nothing else."""

import uuid

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import path

TABLES = [
    "CREATE TABLE IF NOT EXISTS bare_slot (id integer PRIMARY KEY, worker integer)",
    "CREATE TABLE IF NOT EXISTS bare_judgement (key char(32) PRIMARY KEY, slot integer, grade integer)",
]


def next_slot(request: HttpRequest) -> HttpResponse:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE bare_slot SET worker = %s WHERE id = %s AND worker IS NULL", [1, int(request.GET["slot"])])
    return HttpResponse("ok")


def submit(request: HttpRequest) -> HttpResponse:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("INSERT INTO bare_judgement VALUES (%s, %s, %s)", [uuid.uuid4().hex, int(request.POST["slot"]), 2])
    return HttpResponse("ok")


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


urlpatterns = [path("next", next_slot), path("submit", submit), path("healthz", healthz)]


def serve():
    """The WSGI application: the site's own settings and database, but these views alone and no middleware."""
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = []
    return get_wsgi_application()
