"""docker-compose.yml and Dockerfile as data: what they would run, with their variables filled in as Docker does."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = re.compile(r"\$(?:(?P<escaped>\$)|\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<word>[^}]*))?\})")


class Missing(ValueError):
    """A variable that docker compose refuses to start without, in its words."""


def fill(text: str, environment: dict[str, str]) -> str:
    """Interpolate ${NAME}, ${NAME:-default} and ${NAME:?message}; $$ is a dollar sign."""

    def value(match: re.Match[str]) -> str:
        if match["escaped"]:
            return "$"
        if environment.get(match["name"]):
            return environment[match["name"]]
        if match["kind"] == "?":
            raise Missing(f"{match['name']} {match['word']}")
        return match["word"] or ""

    return VARIABLE.sub(value, text)


def services(environment: dict[str, str]) -> dict[str, dict[str, Any]]:
    """The services of docker-compose.yml."""

    def filled(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: filled(child) for key, child in node.items()}
        if isinstance(node, list):
            return [filled(child) for child in node]
        return fill(node, environment) if isinstance(node, str) else node

    return filled(yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"])


def command(service: dict[str, Any]) -> list[str]:
    """What the service's container runs: its own command or the image's."""
    own = service.get("command")
    return shlex.split(own) if own else json.loads(instructions("CMD")[0])


def health_check(service: dict[str, Any]) -> list[str]:
    kind, *words = service["healthcheck"]["test"]
    return words if kind == "CMD" else ["sh", "-c", words[0]]


def instructions(kind: str) -> list[str]:
    """The arguments of every such instruction of the Dockerfile, in their order."""
    return re.findall(rf"^{kind} (.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
