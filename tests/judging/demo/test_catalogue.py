"""The same packages give the same collection, wherever it is built, in silence and without Django."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from judging.demo import catalogue, cwe

SCRIPT = """
import hashlib, sys
from judging.demo import catalogue
demo = catalogue.load()
assert "django" not in sys.modules
print(hashlib.sha256(repr(demo).encode()).hexdigest())
"""


def build_elsewhere(seed: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"PYTHONHASHSEED": seed},
        cwd=Path(__file__).resolve().parents[3],
        capture_output=True,
        text=True,
        check=True,
    )


def test_two_loads_are_equal(demo):
    assert catalogue.load() == demo


def test_another_process_with_another_hash_seed_builds_the_same_and_prints_nothing():
    build, other = build_elsewhere("1"), build_elsewhere("2")
    assert build.stdout == other.stdout
    assert len(build.stdout.split()) == 1
    assert build.stderr == other.stderr == ""


def test_a_release_of_cwe2_without_the_file_names_the_one_that_has_it():
    with pytest.raises(FileNotFoundError, match=r"no database_v49/cwec_v9\.xml; install the pinned release, cwe2 3\.0\.0"):
        cwe.package_file("cwec_v9.xml")
