"""Static files: hashed and compressed once `collectstatic` has run, else under their plain names."""

import filecmp
import gzip
import shutil
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.contrib.staticfiles.utils import get_files
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

OWN = ("ireval/", "judging/", "metrics/")
# Files that our own pages load. Those of the admin and the API browser are not packed: the first page would wait for them.
PACKED = (*OWN, "plotly/", "django_htmx/")


# What pages load of the packages that others wrote. They bring much more: other versions, other pages, maps for debuggers.
LOADED = {
    "django.contrib.admin": ("admin/*",),
    "django_htmx": ("django_htmx/htmx-2.min.js",),
    "drf_spectacular_sidecar": (
        *("drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css", "drf_spectacular_sidecar/swagger-ui-dist/favicon-32x32.png"),
        *("drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-bundle.js",),
        *("drf_spectacular_sidecar/swagger-ui-dist/swagger-ui-standalone-preset.js",),
    ),
}
OUR_APPS = ("ireval_site", "judging", "metrics")


class LoadedFiles(finders.AppDirectoriesFinder):
    """Finds the static files of our apps, and those that pages load of others'."""

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, Storage]]:
        for app, storage in self.storages.items():
            patterns = ("*",) if app in OUR_APPS else LOADED.get(app, ())
            for path in get_files(storage, ignore_patterns):
                if any(fnmatchcase(path, pattern) for pattern in patterns):
                    yield path, storage


class HashedWhenCollected(CompressedManifestStaticFilesStorage):
    """Hashed names once `collectstatic` has run; on a laptop, where nobody runs it, the plain names."""

    # Django would also hash the names of source maps, and fail without them.
    patterns = (("*.css", CompressedManifestStaticFilesStorage.patterns[0][1][:2]),)  # url(…) and @import

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Compress what is asked for: hashed names, and of plain ones those of our own files, which other sites may load."""
        return super().compress_files(path for path in paths if path not in self.hashed_files or path.startswith(OWN))

    def url(self, name, force=False):
        if self.hashed_files:
            return super().url(name, force)
        return StaticFilesStorage.url(self, name)


def pack(folder: Path) -> None:
    """Copy the files that our pages load into the folder, each with a compressed copy, unless they are unchanged.

    It takes a fifth of a second, for laptops; `collectstatic` takes ten.
    """
    for name, original in originals():
        copy = folder / name
        if name.startswith(PACKED) and not (copy.exists() and filecmp.cmp(original, copy)):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.with_name(f"{copy.name}.gz").write_bytes(gzip.compress(original.read_bytes()))
            shutil.copy2(original, copy)  # last: where it is, its compressed copy is complete


def originals() -> Iterator[tuple[str, Path]]:
    """The name and path of each static file that comes with the code, without the packed files that FileSystemFinder finds."""
    for finder in finders.get_finders():
        if not isinstance(finder, finders.FileSystemFinder):
            for path, storage in finder.list(None):
                yield str(Path(getattr(storage, "prefix", None) or "", path)), Path(storage.path(path))
