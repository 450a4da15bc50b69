"""A process beside the demo that runs code on its database: `manage.py shell`, which takes two seconds to begin, begun once."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Shell:
    """Call it with code; it returns what that printed. Begins when first called, since only then all is there."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, code: str) -> str:
        if self.process is None:
            command = [sys.executable, "-m", "tests.browser.shell"]
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(code) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert not answer["error"], answer["error"]
        return answer["printed"].strip()

    def close(self) -> None:
        if self.process:
            self.process.communicate()


def main() -> None:
    """Run each line of the input, and answer by one line."""
    import contextlib
    import io
    import os
    import traceback

    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")
    django.setup()
    from django.db import connections

    for line in sys.stdin:
        printed, error = io.StringIO(), ""
        try:
            with contextlib.redirect_stdout(printed):
                exec(json.loads(line), {})
        except Exception:  # whoever asked is told, and fails by it
            error = traceback.format_exc()
        connections.close_all()
        print(json.dumps({"printed": printed.getvalue(), "error": error}), flush=True)


if __name__ == "__main__":
    main()
