"""A bill of materials of a release, CycloneDX 1.6: every package that a server installs, and what others wrote and browsers
are sent, with their hashes."""

import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILES = ("requirements.txt", "requirements-s3.txt", "requirements-spark.txt")
PINNED = re.compile(r"^([\w.\[\]-]+)==([^\s;]+)(?: ; ([^\\]+?))?(?: \\)?\n((?:    --hash=.*\n?)*)", re.MULTILINE)


def bill(version: str, requirements: str) -> dict[str, Any]:
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "ireval", "version": version}},
        "components": [*(component(*found) for found in dict.fromkeys(PINNED.findall(requirements))), script(), typeface()],
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


def script() -> dict[str, Any]:
    file = ROOT / "metrics/static/plotly/plotly-basic.min.js"
    version = re.findall(r"^\* plotly\.js .*v([\d.]+)$", file.read_text(encoding="utf-8")[:500], re.MULTILINE)[0]
    return sent("plotly.js", version, "npm", "MIT", [file])


def typeface() -> dict[str, Any]:
    files = sorted((ROOT / "ireval_site/static/ireval/fonts").glob("*.woff2"))
    version = int.from_bytes(files[0].read_bytes()[24:28], "big") / 2**16  # of WOFF2's header, a fixed-point number
    return sent("atkinson-hyperlegible-next", f"{version:.3f}", "generic", "OFL-1.1", files)


def sent(name: str, version: str, kind: str, licence: str, files: list[Path]) -> dict[str, Any]:
    """What browsers are sent, with the files that it consists of."""
    return {
        "type": "library",
        "name": name,
        "version": version,
        "licenses": [{"license": {"id": licence}}],
        "purl": f"pkg:{kind}/{name}@{version}",
        "components": [
            {
                "type": "file",
                "name": file.relative_to(ROOT).as_posix(),
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}],
            }
            for file in files
        ],
    }


if __name__ == "__main__":
    pinned = "".join(Path(file).read_text(encoding="utf-8") for file in FILES)
    print(json.dumps(bill(sys.argv[1], pinned), indent=1))
