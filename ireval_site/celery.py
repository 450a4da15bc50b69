import logging
import os

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")

app = Celery("ireval")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.setup_logging.connect
def keep_the_logging(loglevel: int, **given) -> None:
    """Log as the settings say, which keeps secrets out. Celery, asked by nobody, would put handlers of its own in their place."""
    logging.getLogger().setLevel(loglevel)
