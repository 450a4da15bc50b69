"""Takes out of this Python's packages what nobody runs: `.venv/bin/python ireval_site/laptop/slim.py`, after an installation.

It takes tests of others, languages that no page is in, and what only compilers and debuggers read. It also takes a second page of
the API, and parts of Django and SciPy that nothing here uses. The file runs by its path, without the packages. Running it again
changes nothing.
"""

import math
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

UNUSED = (
    *("numpy/**/tests", "scipy/**/tests", "numpy/_core/_simd*.so"),
    *(f"{package}/**/*.{kind}" for package in ("numpy", "scipy") for kind in ("a", "h", "pxd", "pyx")),
    "numpy/distutils",
    *(f"scipy/{part}" for part in ("cluster", "datasets", "fftpack", "io", "misc", "odr", "signal")),
    "**/locale/**/*.po",
    "allauth/socialaccount/providers",
    *(f"django/contrib/{application}" for application in ("flatpages", "gis", "redirects")),
    "drf_spectacular_sidecar/static/**/*.map",
    "drf_spectacular_sidecar/static/drf_spectacular_sidecar/redoc",
    "rest_framework/static",
    "pip/**/__pycache__",
    "pip/_vendor/distlib/*.exe",
)
LOCALE = Path(__file__).resolve().parents[2] / "locale"
LARGE_BYTES = 2_000_000  # a few libraries have nearly all of the symbols
LOADS = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


def main() -> None:
    packages = Path(sysconfig.get_path("platlib"))
    for path in unused(packages):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if sys.platform == "linux" and (strip := shutil.which("strip")):
        for library in libraries(packages):
            strip_symbols(library, strip)
    print(f"Installed: {megabytes(Path(sys.prefix))} MB in {sys.prefix}.")


def unused(packages: Path) -> Iterator[Path]:
    for pattern in UNUSED:
        yield from sorted(packages.glob(pattern))
    for translations in sorted(packages.glob("**/locale/*/LC_MESSAGES")):
        if translations.parent.name not in languages():
            yield translations.parent


def languages() -> set[str]:
    """Those of pages, as folders are called."""
    return {"en", "en_GB", *(path.name for path in LOCALE.iterdir())}


def libraries(packages: Path) -> Iterator[Path]:
    """Large libraries, without those that wheels bring along for others (`*.libs`): tools rewrote them, and may not again."""
    for path in packages.rglob("*.so"):
        if path.stat().st_size > LARGE_BYTES and not path.parent.name.endswith(".libs"):
            yield path


def strip_symbols(library: Path, strip: str) -> None:
    """Put a copy without symbols in the place of a library, if it can be loaded."""
    copy = library.with_suffix(".stripped")
    try:
        subprocess.run([strip, "--strip-unneeded", "-o", copy, library], check=True, capture_output=True)  # noqa: S603
        subprocess.run([sys.executable, "-c", LOADS, copy], check=True, capture_output=True)  # noqa: S603
        copy.chmod(library.stat().st_mode)
        copy.replace(library)
    except subprocess.CalledProcessError:
        copy.unlink(missing_ok=True)


def megabytes(folder: Path) -> int:
    """What a folder takes on the disk, as `du -sm` says."""
    return math.ceil(sum(path.lstat().st_blocks for path in folder.rglob("*")) * 512 / 2**20)


if __name__ == "__main__":
    main()
