"""What the documentation tells a team to type, typed."""

import re
import subprocess
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "operations.md").read_text()


@pytest.fixture
def make_env(tmp_path):
    """Run the line that makes .env, in an empty folder."""
    (line,) = re.findall(r"^.*openssl rand.*$", PAGE, re.MULTILINE)

    def run() -> str:
        subprocess.run(["sh", "-c", line], cwd=tmp_path, check=True)
        return (tmp_path / ".env").read_text()

    return run


def test_secrets_are_made_once_and_are_nobody_elses(make_env, tmp_path):
    first = make_env()
    assert re.fullmatch(r"SECRET_KEY=\S{64}\nPOSTGRES_PASSWORD=[0-9a-f]{48}\n", first)
    assert make_env() == first
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
