"""Ask the Open Source Vulnerabilities service about every package that a server installs: `make check`.

Fails for a known weakness. Where the service cannot be reached, it says that nothing was audited, and fails where
IREVAL_REQUIRE=audit wants that.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FILES = ("requirements.txt", "requirements-s3.txt", "requirements-spark.txt")
UNREACHABLE = ("ConnectionError", "ConnectTimeout", "ReadTimeout", "Max retries exceeded", "Name or service not known")


def main(program: str) -> int:
    asked = [option for file in FILES for option in ("--requirement", file)]
    quietly = ["--progress-spinner", "off", "--format", "json", "--timeout", "10"]
    pinned = ["--disable-pip", "--require-hashes", "--vulnerability-service", "osv"]
    done = subprocess.run([program, *pinned, *quietly, *asked], capture_output=True, text=True, check=False)  # noqa: S603
    if any(word in done.stderr for word in UNREACHABLE):
        print("Not audited: the service that knows of weaknesses cannot be reached from here.")
        return int("audit" in os.environ.get("IREVAL_REQUIRE", "").split(","))
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        print(done.stderr, file=sys.stderr)
        return 1
    for package in packages:
        for weakness in package.get("vulns", ()):
            print(f"{package['name']} {package['version']}: {weakness['id']}, mended in {weakness['fix_versions']}")
    print(f"{len(packages)} packages were audited.")
    return int(any(package.get("vulns") for package in packages))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else str(Path(sys.executable).with_name("pip-audit"))))
