"""Static files: hashed and compressed once `collectstatic` has run, else under their plain names."""

import filecmp
import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

# What our own pages load. The admin's and the API browser's files stay as they are: the first page would wait for them.
OURS = ("ireval/", "judging/", "metrics/", "plotly/", "django_htmx/")


class HashedWhenCollected(CompressedManifestStaticFilesStorage):
    """Hashed names once `collectstatic` has run; on a laptop, where nobody runs it, the plain names."""

    def url(self, name, force=False):
        if self.hashed_files:
            return super().url(name, force)
        return StaticFilesStorage.url(self, name)


def pack(folder: Path) -> None:
    """Put what our pages load there with a compressed copy beside each file, in a third of a second and only when it changed.

    For a laptop: `collectstatic` takes half a minute.
    """
    for name, original in originals():
        copy = folder / name
        if name.startswith(OURS) and not (copy.exists() and filecmp.cmp(original, copy)):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.with_name(f"{copy.name}.gz").write_bytes(gzip.compress(original.read_bytes()))
            shutil.copy2(original, copy)  # last: where it is, its compressed copy is complete


def originals() -> Iterator[tuple[str, Path]]:
    """The name and place of each static file that comes with the code; FileSystemFinder is the one that finds the packed."""
    for finder in finders.get_finders():
        if not isinstance(finder, finders.FileSystemFinder):
            for path, storage in finder.list(None):
                yield str(Path(getattr(storage, "prefix", None) or "", path)), Path(storage.path(path))
