"""The same packages give the same collection, wherever it is built, in silence and without Django."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

from judging.demo import catalogue, cwe
from tests.judging.demo import excerpt

SCRIPT = """
import hashlib, sys
from judging.demo import catalogue, household
demo = catalogue.load(), household.load()
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


def test_the_excerpt_is_what_mitre_published():
    assert gzip.decompress((cwe.FOLDER / cwe.CATALOGUE).read_bytes()) == excerpt.excerpt()
    assert cwe.read_notice() == "\n\n".join((excerpt.WHOLE / name).read_text().strip() for name in (cwe.NOTICE, cwe.LICENCE))
