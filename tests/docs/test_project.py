"""The project's files agree with each other: versions, what CI runs, what a release holds."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from django.conf import settings

ROOT = Path(__file__).resolve().parents[2]


def test_the_version_is_one():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert settings.SPECTACULAR_SETTINGS["VERSION"] == version
    newest = re.findall(r"^## (\S+), (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)[0]
    assert newest[0] == version and re.fullmatch(r"not released yet|\d{4}-\d\d-\d\d", newest[1])


def test_the_workflow_runs_what_everybody_can_run():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    steps = workflow["jobs"]["ci"]["steps"]
    assert steps[-1] == {"run": ".ci/run"}
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_ci_requires_whatever_may_be_absent():
    script, workflow = (ROOT / ".ci" / "run").read_text(), (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    named = {name for file in (ROOT / "tests").rglob("*.py") for name in re.findall(r'\babsent\(\s*"([\w-]+)"', file.read_text())}
    assert len(named) > 5
    required = ",".join(re.findall(r"required=(?:\$required,)?(\S+)", script)).split(",")
    assert set(required) == named
    assert "IREVAL_REQUIRE=${GITHUB_ACTIONS:+audit} make check" in script, "which reaches the service, as others may not"
    assert "--cap-add SYS_ADMIN" in workflow, "without which there is no small disk"


def test_hooks_name_programs_that_development_installs():
    hooks = [hook for repo in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"] for hook in repo["hooks"]]
    assert len(hooks) > 3
    for hook in hooks:
        assert (Path(sys.executable).parent / Path(hook["entry"].split()[0]).name).exists(), hook["id"]


def test_the_bill_of_materials_names_every_pin():
    text = "".join((ROOT / file).read_text() for file in ("requirements.txt", "requirements-s3.txt", "requirements-spark.txt"))
    pinned = re.findall(r"^([\w.-]+)(?:\[.*\])?==([^\s;]+)", text, re.MULTILINE)
    made = subprocess.run([sys.executable, ".ci/sbom.py", "1.2.3"], cwd=ROOT, capture_output=True, check=True)
    bill = json.loads(made.stdout)
    assert bill["metadata"]["component"]["version"] == "1.2.3"
    packages = [component for component in bill["components"] if component["purl"].startswith("pkg:pypi/")]
    named = [(component["name"], component["version"]) for component in packages]
    assert set(named) == {(name.lower(), version) for name, version in pinned}
    assert len(named) < len(pinned)  # what both files pin is named once
    assert all(component["externalReferences"] for component in packages)


def test_the_bill_of_materials_names_what_browsers_are_sent(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / ".ci")
    import sbom

    sent = sbom.bill("1.2.3", "")["components"]
    assert [re.sub(r"@\d+(\.\d+)+$", "", component["purl"]) for component in sent] == [
        "pkg:npm/plotly.js", "pkg:generic/atkinson-hyperlegible-next",
    ]  # fmt: skip
    named = {file["name"] for component in sent for file in component["components"]}
    command = ["git", "ls-files", "*.min.js", "*.min.css", "*.woff2"]
    assert named == set(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())


def run_ci(script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command, environment = [sys.executable, f".ci/{script}", *arguments], {**os.environ, **variables}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_the_bill_of_materials_is_held_to_the_schema(monkeypatch):
    done = run_ci("check_sbom.py")
    assert (done.returncode, done.stderr) == (0, "") and re.fullmatch(r"The bill .* names \d+ packages\.\n", done.stdout)
    monkeypatch.syspath_prepend(ROOT / ".ci")
    import check_sbom
    import sbom

    bill = sbom.bill("1.2.3", "a==1 \\\n    --hash=sha256:" + "0" * 64 + "\n")
    assert check_sbom.problems(bill) == []
    bill["components"][0]["type"] = "libary"
    assert "libary" in check_sbom.problems(bill)[0]


WEAK = {"name": "django", "version": "1.0", "vulns": [{"id": "CVE-1", "fix_versions": ["1.1"]}]}
SOUND = {"name": "django", "version": "1.1", "vulns": []}


@pytest.mark.parametrize(
    ("says", "errs", "code", "words"),
    [
        ({"dependencies": [SOUND]}, "", 0, "1 packages were audited."),
        ({"dependencies": [SOUND, WEAK]}, "Found 1 known vulnerability", 1, "django 1.0: CVE-1, mended in ['1.1']"),
        (None, "requests.exceptions.ConnectionError: no route", 0, "Not audited"),
        (None, "a bug", 1, ""),
    ],
)
def test_the_audit_says_what_it_could_not_do(tmp_path, says, errs, code, words):
    program = tmp_path / "pip-audit"
    answer = json.dumps(says) if says else ""
    program.write_text(f"#!/bin/sh\necho {shlex.quote(answer)}\necho {shlex.quote(errs)} >&2\n")
    program.chmod(0o755)
    done = run_ci("audit.py", str(program), IREVAL_REQUIRE="")
    assert done.returncode == code and words in done.stdout
    if words == "Not audited":
        assert run_ci("audit.py", str(program), IREVAL_REQUIRE="audit").returncode == 1


def test_make_check_audits_and_makes_the_bill():
    recipe = (ROOT / "Makefile").read_text()
    assert "check $(PY) .ci/check_sbom.py" in recipe and "check $(PY) .ci/audit.py" in recipe


FAKE_DOCKER = """#!/bin/sh
case "$1" in
  pull) ;;
  image) echo "${5%:*}@sha256:$(printf %s "$5" | sha256sum | cut -d' ' -f1)" ;;
esac
"""


def test_a_release_says_which_images_it_was_made_with(tmp_path):
    """Digests come from Docker, which is not here: the one that answers in its place makes some up."""
    docker = tmp_path / "docker"
    docker.write_text(FAKE_DOCKER)
    docker.chmod(0o755)
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    written = subprocess.run([ROOT / ".ci" / "digests"], env=path, capture_output=True, text=True, check=True).stdout
    named = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    foreign = {name: service["image"].partition(":")[0] for name, service in named.items() if "build" not in service}
    pinned = {name: service["image"].partition("@sha256:") for name, service in yaml.safe_load(written)["services"].items()}
    assert {name: image for name, (image, _, _) in pinned.items()} == foreign
    assert all(len(digest) == 64 for _, _, digest in pinned.values())
    base = re.findall(r"^ARG PYTHON=(.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    again = subprocess.run([ROOT / ".ci" / "digests", *base], env=path, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"python@sha256:[0-9a-f]{64}\n", again)


def test_a_release_refuses_what_is_not_tagged(tmp_path):
    """Of a clone without a tag nothing is made, whatever the working tree looks like."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", "--no-tags", f"file://{ROOT}", clone], check=True)
    (clone / ".ci" / "release").write_bytes((ROOT / ".ci" / "release").read_bytes())
    refused = subprocess.run(
        ["bash", clone / ".ci" / "release"],
        env={"VENV": sys.prefix, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1 and "has to be that of the tag" in refused.stderr
    assert not (clone / "dist").exists()


def test_the_image_has_the_documentation_and_all_packages():
    kept = (ROOT / ".dockerignore").read_text().splitlines()
    assert {"!docs", "!ireval", "!ireval_site", "!judging", "!metrics"} <= set(kept)
