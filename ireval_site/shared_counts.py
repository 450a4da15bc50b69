"""The folder in which the web server's processes count for Prometheus, so that whichever is asked answers for all."""

import atexit
import os
import shutil
import tempfile

from ireval_site import environment

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


def share_counts() -> None:
    """Make the folder where Prometheus may ask, unless the environment names one; it goes when this process ends.

    To be called before anything is loaded that counts: the library reads the variable once.
    """
    if environment.token("IREVAL_METRICS_TOKEN") and VARIABLE not in os.environ:
        folder = os.environ[VARIABLE] = tempfile.mkdtemp(prefix="ireval-counts-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
