import logging
import os

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")

app = Celery("ireval")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.setup_logging.connect
def keep_the_logging(loglevel: int, **options) -> None:
    """Log as the settings say, which keeps secrets out. Celery would replace the handlers by its own."""
    logging.getLogger().setLevel(loglevel)
