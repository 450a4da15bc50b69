"""The parsers are importable by whoever has a file and no site."""

import subprocess
import sys


def test_no_django_is_imported():
    program = "import sys, judging.collections.parsers; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
