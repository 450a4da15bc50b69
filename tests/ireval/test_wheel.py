"""The library as others install it: a wheel, and nothing but the packages that it names."""

import json
import subprocess
import sys
import zipfile
from email.parser import Parser
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built without an index, by the setuptools that is here."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in tracked.stdout.splitlines():
        if name.startswith("ireval/") or "/" not in name or name == "docs/tutorial/notebook.md":
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    build = "from setuptools import build_meta; import sys; print(build_meta.build_wheel(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=source, capture_output=True, check=True)
    (path,) = folder.glob("*.whl")
    return path


def metadata_of(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


def required(requirements: list[str]) -> list[Requirement]:
    """Those that hold on this machine and belong to no extra."""
    parsed = [Requirement(text) for text in requirements]
    return [each for each in parsed if each.marker is None or each.marker.evaluate({"extra": ""})]


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A folder with the wheel and what it requires, as far down as requirements go."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    open_names, done = [each.name for each in required(metadata_of(wheel).get_all("Requires-Dist"))], set()
    while open_names:
        name = open_names.pop()
        if name not in done:
            done.add(name)
            package = distribution(name)
            link(package, folder)
            open_names += [each.name for each in required(package.requires or [])]
    return folder


def link(package: Distribution, folder: Path) -> None:
    for top in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
        if not (folder / top).exists():
            (folder / top).symlink_to(Path(str(package.locate_file(top))))


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python without its own site packages and without this checkout."""
    start = f"import sys, runpy; sys.path.insert(0, {str(folder)!r}); "
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", start + arguments[0], *arguments[1:]], capture_output=True, text=True, check=False
    )


def test_the_library_asks_for_the_sciences_packages_alone(wheel):
    metadata = metadata_of(wheel)
    assert metadata["Name"] == "ireval-engine"
    assert metadata.get_payload().startswith("# The library, by example")
    assert {each.name for each in required(metadata.get_all("Requires-Dist"))} == {"numpy", "polars", "scipy", "backports.zstd"}


def test_the_wheel_holds_the_library_with_its_types_and_nothing_of_the_application(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        entry_points = archive.read(next(name for name in names if name.endswith("entry_points.txt"))).decode()
    assert "ireval/py.typed" in names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"ireval"}
    assert {Path(name) for name in names if name.endswith(".py")} == {
        path.relative_to(ROOT) for path in ROOT.glob("ireval/**/*.py")
    }
    assert "ireval = ireval.cli.main:main" in entry_points


def test_it_evaluates_where_nothing_else_is_installed(installed, tmp_path):
    Path(tmp_path, "a.run").write_text("1 Q0 d1 1 2 a\n1 Q0 d2 2 1 a\n")
    Path(tmp_path, "a.qrels").write_text("1 0 d2 1\n")
    command = "runpy.run_module('ireval', run_name='__main__')"
    result = python(installed, command, "evaluate", f"{tmp_path}/a.qrels", f"{tmp_path}/a.run", "-m", "RR", "--format", "json")
    assert result.returncode == 0, result.stderr
    assert "0.5" in json.dumps(json.loads(result.stdout))


def test_every_module_can_be_imported_where_nothing_else_is_installed(installed):
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in ROOT.glob("ireval/**/*.py")
        if path.stem not in ("__init__", "__main__")
    ]
    result = python(
        installed, f"import importlib; [importlib.import_module(name) for name in {names}]; print('django' in sys.modules)"
    )
    assert (result.returncode, result.stdout.strip()) == (0, "False"), result.stderr


def test_django_is_not_there(installed):
    assert "No module named 'django'" in python(installed, "import django").stderr
