"""The Celery app with reports of studies that kill the process that computes them: `celery --app tests.site.poison worker`."""

import os

import django

from ireval_site import celery_app

django.setup()

from metrics.kinds.quality import computing  # noqa: E402  Django has to be ready

app = celery_app
computing.keep_evidence = lambda report: os._exit(1)
