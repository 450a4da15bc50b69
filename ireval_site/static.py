"""Static files: hashed and compressed once `collectstatic` has run, else under their plain names."""

import filecmp
import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

# Files that our own pages load. Those of the admin and the API browser are not packed: the first page would wait for them.
OURS = ("ireval/", "judging/", "metrics/", "plotly/", "django_htmx/")


class HashedWhenCollected(CompressedManifestStaticFilesStorage):
    """Hashed names once `collectstatic` has run; on a laptop, where nobody runs it, the plain names."""

    def url(self, name, force=False):
        if self.hashed_files:
            return super().url(name, force)
        return StaticFilesStorage.url(self, name)


def pack(folder: Path) -> None:
    """Copy the files that our pages load into the folder, each with a compressed copy, unless they are unchanged.

    It takes a third of a second, for laptops; `collectstatic` takes half a minute.
    """
    for name, original in originals():
        copy = folder / name
        if name.startswith(OURS) and not (copy.exists() and filecmp.cmp(original, copy)):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.with_name(f"{copy.name}.gz").write_bytes(gzip.compress(original.read_bytes()))
            shutil.copy2(original, copy)  # last: where it is, its compressed copy is complete


def originals() -> Iterator[tuple[str, Path]]:
    """The name and path of each static file that comes with the code, without the packed files that FileSystemFinder finds."""
    for finder in finders.get_finders():
        if not isinstance(finder, finders.FileSystemFinder):
            for path, storage in finder.list(None):
                yield str(Path(getattr(storage, "prefix", None) or "", path)), Path(storage.path(path))
