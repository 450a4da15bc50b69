import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")

app = Celery("ireval")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
