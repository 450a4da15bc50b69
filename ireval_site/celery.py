import logging
import os
import re
import socket

from celery import Celery, signals
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")

app = Celery("ireval")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.steps["worker"].add("ireval_site.consumer:OrderlyStop")


@signals.setup_logging.connect
def keep_the_logging(loglevel: int, **options) -> None:
    """Log as the settings say, which keeps secrets out. Celery would replace the handlers by its own.

    How much, its command line says where the environment does not.
    """
    if not os.environ.get("IREVAL_LOG_LEVEL", "").strip():
        logging.getLogger().setLevel(loglevel)


@signals.beat_init.connect
def show_that_the_beat_goes(**options) -> None:
    """Touch a file whenever the beat has sent a task, and tell systemd, if that started it.

    The health check of the beat's container reads the file's age.
    """
    settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    signals.after_task_publish.connect(touch_beat)


def touch_beat(**options) -> None:
    (settings.DATA_DIR / "beat").touch()
    if watchdog := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.sendto(b"WATCHDOG=1", re.sub("^@", "\0", watchdog))
