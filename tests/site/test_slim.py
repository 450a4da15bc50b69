"""What is taken out of the packages is what nobody runs, and what was changed still loads."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import to_locale

from ireval_site.laptop import slim

KEPT = (
    "numpy/testing/__init__.py",
    "django/contrib/sites/models.py",
    "django/conf/locale/it/LC_MESSAGES/django.mo",
    "ours/tests/test.py",
    "pip/__init__.py",
)
TAKEN = (
    "numpy/lib/tests/test.py",
    "django/contrib/gis/db/models.py",
    "scipy/stats/tests/data/a.npy",
    "scipy/signal/windows/windows.py",
    "scipy/linalg.pxd",
    "numpy/_core/include/numpy/arrayobject.h",
    "django/conf/locale/fr/LC_MESSAGES/django.mo",
    "django/conf/locale/fr/formats.py",
    "django/conf/locale/it/LC_MESSAGES/django.po",
)


def test_only_what_nobody_runs_is_taken_out_and_the_size_is_said(tmp_path, monkeypatch, capsys):
    for name in (*KEPT, *TAKEN):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "numpy" / "large").write_bytes(os.urandom(5 * 2**20))
    monkeypatch.setattr(slim.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(slim.sys, "prefix", str(tmp_path))
    for _ in range(2):
        slim.main()
        assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == {*KEPT, "numpy/large"}
        # Folders take something on some file systems.
        assert capsys.readouterr().out in {f"Installed: {size} MB in {tmp_path}.\n" for size in (5, 6)}


def test_each_language_of_the_pages_stays():
    assert {to_locale(code) for code, _ in settings.LANGUAGES} <= slim.languages()


@pytest.mark.skipif(not shutil.which("strip"), reason="strip is not installed")
def test_a_library_loses_its_symbols_only_if_it_still_loads(tmp_path):
    spec = find_spec("_brotli")
    assert spec and spec.origin
    library, damaged = tmp_path / "_brotli.so", tmp_path / "damaged.so"
    shutil.copy(spec.origin, library)
    damaged.write_bytes(library.read_bytes()[:5000])
    before = damaged.read_bytes()
    for path in (library, damaged):
        slim.strip_symbols(path, "strip")
    subprocess.run([sys.executable, "-c", "import _brotli; _brotli.Compressor()"], cwd=tmp_path, check=True)
    assert b".symtab" not in library.read_bytes()
    assert damaged.read_bytes() == before
    assert {path.name for path in Path(tmp_path).iterdir()} == {"_brotli.so", "damaged.so"}
