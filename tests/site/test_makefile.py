"""`make` on machines that lack something: it says what, and does not install twice."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ("make", "sh", "cmp", "cp", "echo", "dirname", "cat")
NO_PYTHON_FITS = '[ "$1" = --version ] && echo Python 3.9.6; exit 1'
NO_VENV = 'case "$2" in *sys.version_info*) exit 0;; *) exit 1;; esac'
LOGS = 'echo "$@" >> "$0.log"'


@pytest.fixture
def make(tmp_path):
    """Run make where nothing but a few tools and the given `python3` can be found."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        if path := shutil.which(name):
            (tools / name).symlink_to(path)

    def run(*arguments: str, python: str) -> subprocess.CompletedProcess[str]:
        script(tools / "python3", python)
        command = [str(tools / "make"), "-C", str(ROOT), f"VENV={tmp_path / 'venv'}", *arguments]
        environment = {"PATH": str(tools), "HOME": str(tmp_path)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run


def script(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!{shutil.which('sh')}\n{text}\n")
    file.chmod(0o755)


def test_says_which_python_it_needs(make):
    done = make("demo", python=NO_PYTHON_FITS)
    assert done.returncode != 0
    assert "ireval needs Python 3.11, 3.12, 3.13 or 3.14; python3 here is: Python 3.9.6." in done.stdout
    assert "make demo PYTHON=/path/to/python3.12" in done.stdout


def test_says_what_debian_leaves_out(make, tmp_path):
    done = make("demo", python=NO_VENV)
    assert done.returncode != 0
    assert "python3 cannot make virtual environments. On Debian and Ubuntu: sudo apt install python3-venv" in done.stdout
    assert not (tmp_path / "venv").exists()


def test_installs_again_only_when_the_requirements_changed(make, tmp_path):
    python = tmp_path / "venv" / "bin" / "python"
    script(python, LOGS)
    installs = Path(f"{python}.log")
    assert make("runtime", python=NO_PYTHON_FITS).returncode == 0
    assert make("runtime", python=NO_PYTHON_FITS).returncode == 0
    assert installs.read_text().count("--require-hashes -r requirements.txt") == 1
    (tmp_path / "venv" / "requirements.txt").write_text("older\n")
    assert make("runtime", python=NO_PYTHON_FITS).returncode == 0
    assert installs.read_text().count("--require-hashes -r requirements.txt") == 2


def test_an_install_that_failed_is_tried_again(make, tmp_path):
    python = tmp_path / "venv" / "bin" / "python"
    script(python, "exit 1")
    assert make("runtime", python=NO_PYTHON_FITS).returncode != 0
    script(python, LOGS)
    assert make("runtime", python=NO_PYTHON_FITS).returncode == 0
    assert Path(f"{python}.log").exists()


def test_clean_keeps_what_people_judged(make):
    done = make("-n", "clean", python=NO_PYTHON_FITS)
    assert "rm -rf" in done.stdout
    assert " var" not in done.stdout
