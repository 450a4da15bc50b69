import logging
import os

from celery import Celery, signals
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")

app = Celery("ireval")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.setup_logging.connect
def keep_the_logging(loglevel: int, **options) -> None:
    """Log as the settings say, which keeps secrets out. Celery would replace the handlers by its own."""
    logging.getLogger().setLevel(loglevel)


@signals.beat_init.connect
def show_that_the_beat_goes(**options) -> None:
    """Have the beat touch a file whenever it has sent a task: the health check of its container looks how old that is."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    signals.after_task_publish.connect(touch_beat)


def touch_beat(**options) -> None:
    (settings.DATA_DIR / "beat").touch()
