"""The garbage collector rests while modules are loaded, and works again before anything runs long."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ireval_site.startup import loading

ROOT = Path(__file__).resolve().parents[2]
STATE = "import gc; print(gc.isenabled(), gc.get_freeze_count() > 100_000)"


def test_it_rests_and_what_was_loaded_is_kept_from_it():
    with loading():
        assert not gc.isenabled()
        with loading():
            inner = [[]]
        assert not gc.isenabled()
        assert not looked_through(inner)
        outer = [[]]
    assert gc.isenabled()
    assert not looked_through(outer)


def looked_through(loaded: list) -> bool:
    return any(known is loaded for known in gc.get_objects())


def test_it_works_again_where_something_could_not_be_loaded():
    with pytest.raises(ImportError), loading():
        raise ImportError
    assert gc.isenabled()


@pytest.mark.parametrize(
    "command",
    [
        ["-c", f"import ireval_site.wsgi; {STATE}"],
        ["manage.py", "shell", "--no-imports", "--command", STATE],
    ],
    ids=["wsgi", "manage.py"],
)
def test_it_works_while_requests_are_answered_and_commands_run(command, tmp_path):
    environment = {**os.environ, "IREVAL_DATA": str(tmp_path)}
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "True True\n", done.stderr
