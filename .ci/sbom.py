"""A bill of materials of a release, CycloneDX 1.6: every package that a server installs, with its hashes."""

import json
import re
import sys
from pathlib import Path
from typing import Any

FILES = ("requirements.txt", "requirements-s3.txt", "requirements-spark.txt")
PINNED = re.compile(r"^([\w.\[\]-]+)==([^\s;]+)(?: ; ([^\\]+?))?(?: \\)?\n((?:    --hash=.*\n?)*)", re.MULTILINE)


def bill(version: str, requirements: str) -> dict[str, Any]:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "ireval", "version": version}},
        "components": [component(*found) for found in dict.fromkeys(PINNED.findall(requirements))],
    }


def component(name: str, version: str, marker: str, hashes: str) -> dict[str, Any]:
    plain = re.sub(r"\[.*\]", "", name).lower()
    return {
        "type": "library",
        "name": plain,
        "version": version,
        "purl": f"pkg:pypi/{plain}@{version}",
        # A pin names one file for each platform; these are the files' hashes.
        "externalReferences": [
            {"type": "distribution", "url": f"pkg:pypi/{plain}@{version}", "hashes": [{"alg": "SHA-256", "content": each}]}
            for each in re.findall(r"sha256:(\w+)", hashes)
        ],
        **({"properties": [{"name": "only where", "value": marker}]} if marker else {}),
    }


if __name__ == "__main__":
    pinned = "".join(Path(file).read_text(encoding="utf-8") for file in FILES)
    print(json.dumps(bill(sys.argv[1], pinned), indent=1))
