"""Settings of an installation whose Celery has a poisonous task, too."""

from ireval_site.settings import *  # noqa: F403

CELERY_IMPORTS = ["benchmarks.faults.poison"]
