"""The pinned requirements: everything that pyproject.toml asks for, each with its hashes, and no address of any index."""

import itertools
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ("requirements.txt", "requirements-s3.txt", "requirements-spark.txt", "requirements-dev.txt")

CLUSTER = "requirements-cluster.txt"


def pins(file: str) -> dict[str, set[str]]:
    """Versions by package name; a package may be pinned differently for different Pythons."""
    versions: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", (ROOT / file).read_text(), re.MULTILINE):
        versions.setdefault(name, set()).add(version)
    return versions


def package_names(entries: list) -> set[str]:
    names = (re.match(r"[A-Za-z0-9._-]+", entry) for entry in entries if isinstance(entry, str))  # no group in a group
    return {re.sub(r"[._-]+", "-", name[0]).lower() for name in names if name}


def test_all_that_is_asked_for_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    assert package_names(project["project"]["dependencies"]) <= pins(FILES[0]).keys()
    assert package_names(groups["s3"]) <= pins(FILES[1]).keys()
    assert package_names(groups["spark"]) <= pins(FILES[2]).keys()
    assert package_names(groups["cluster"]) <= pins(CLUSTER).keys()
    assert package_names(groups["s3"] + groups["spark"] + groups["test"] + groups["check"]) <= pins(FILES[3]).keys()


def test_the_cluster_of_tests_is_of_the_client_s_version():
    (here,), (there,) = pins("requirements-spark.txt")["pyspark-client"], pins(CLUSTER)["pyspark"]
    assert here.rpartition(".")[0] == there.rpartition(".")[0]


@pytest.mark.parametrize(("file", "other"), list(itertools.combinations(FILES, 2)))
def test_two_files_agree(file, other):
    here, there = pins(file), pins(other)
    shared = here.keys() & there.keys()
    assert shared
    assert {name: here[name] for name in shared} == {name: there[name] for name in shared}


def test_pyproject_and_makefile_name_the_same_pythons():
    from_, below = re.search(
        r"VERSIONS = \((3, \d+)\) <= sys.version_info < \((3, \d+)\)", (ROOT / "Makefile").read_text()
    ).groups()
    requirement = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert requirement == f">={from_.replace(', ', '.')},<{below.replace(', ', '.')}"


def test_the_licence_lies_where_pyproject_says():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["license"] == "Apache-2.0"
    assert "Apache License\n                           Version 2.0" in (ROOT / project["license-files"][0]).read_text()


@pytest.mark.parametrize("file", [*FILES, CLUSTER])
def test_every_pin_has_hashes_and_nothing_names_an_index(file):
    text = (ROOT / file).read_text()
    entries = re.split(r"\n(?=[A-Za-z0-9])", text)
    assert len(entries) > 1
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
    assert not re.search(r"://|--index|--extra-index|--find-links", text)
