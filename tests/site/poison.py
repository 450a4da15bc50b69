"""The Celery app with reports of studies that kill the process that computes them: `celery --app tests.site.poison worker`."""

import os

import django

from ireval_site import celery_app

django.setup()

from metrics import pipeline  # noqa: E402  Django has to be ready

app = celery_app
pipeline.settle = lambda report, reading: os._exit(1)
