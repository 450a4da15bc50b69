"""The Celery app with reports of studies that take for ever: `celery --app tests.site.sleeper worker`."""

import time

import django

from ireval_site import celery_app

django.setup()

from metrics import pipeline  # noqa: E402  Django has to be ready

app = celery_app
pipeline.settle = lambda report, reading: time.sleep(3600)
