"""Which browser the tests drive, and how it is started."""

import os
import shutil

# The first draws pages alone: it has no windows, which nobody would see.
PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
# A test machine may be root, without a GPU and without a network: Chromium must neither ask for a sandbox nor call home.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip


def program() -> str | None:
    """The path of the one that IREVAL_CHROMIUM names, or of the first that is installed."""
    return os.environ.get("IREVAL_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)
