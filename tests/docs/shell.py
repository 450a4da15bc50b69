"""What the documentation tells to type into a shell, and a shell that does so."""

import re
import shutil
import subprocess
from pathlib import Path

from ireval_site.docs import FOLDER
from tests.conftest import absent

MANAGED = re.compile(r"^(?:.*\bpython )?(manage\.py \w.*)$", re.MULTILINE)


def blocks(page: Path, *languages: str) -> list[str]:
    matches = re.findall(r"^ *```(\w+)\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [text for language, text in matches if language in languages]


def api_page() -> str:
    """The whole of docs/reference/api.md, but for the account, which is made on the server's machine."""
    return MANAGED.sub("", "\n".join(blocks(FOLDER / "reference" / "api.md", "sh")))


def run(script: str, folder: Path, **variables: str) -> str:
    """What it prints. It may say nothing of an error, and nothing else of this process's environment is known to it."""
    if not shutil.which("curl"):
        absent("curl", "the commands call curl, which is not installed")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), f"{done.stdout}\n{done.stderr}"
    return done.stdout
