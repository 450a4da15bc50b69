"""The least that Django does for a judgement: a page that claims by one query, a submit that stores by one, no template.

With the middleware and through the ORM as `startproject` sets them up; same settings of the database, same server.
"""

import uuid

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

TABLES = [
    "CREATE TABLE IF NOT EXISTS bare_slot (id integer PRIMARY KEY, worker integer)",
    "CREATE TABLE IF NOT EXISTS bare_judgement (key char(32) PRIMARY KEY, slot integer, grade integer)",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]


def serve():
    """The WSGI application: the site's own settings and database, but these views alone."""
    django.setup(set_prefix=False)  # an application of the site insists on middleware of its own
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = MIDDLEWARE
    application = WSGIHandler()
    urlpatterns.extend(patterns())
    return application


urlpatterns: list = []


def patterns() -> list:
    """Models can be declared only once Django is set up."""
    from django.db import models

    class Slot(models.Model):  # noqa: DJ008  nobody reads it
        worker = models.IntegerField(null=True)

        class Meta:
            app_label, db_table, managed = "bare", "bare_slot", False

    class Judgement(models.Model):  # noqa: DJ008
        key = models.CharField(max_length=32, primary_key=True)
        slot = models.IntegerField()
        grade = models.IntegerField()

        class Meta:
            app_label, db_table, managed = "bare", "bare_judgement", False

    def page(request: HttpRequest) -> HttpResponse:
        Slot._default_manager.filter(pk=request.GET["slot"], worker=None).update(worker=1)
        return HttpResponse("ok")

    @csrf_exempt
    def submit(request: HttpRequest) -> HttpResponse:
        Judgement._default_manager.create(key=uuid.uuid4().hex, slot=int(request.POST["slot"]), grade=2)
        return HttpResponse("ok")

    return [path("next", page), path("submit", submit), path("healthz", lambda request: HttpResponse("ok"))]
