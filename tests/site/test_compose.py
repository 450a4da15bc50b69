"""The containers' own commands, run without Docker on a real PostgreSQL and Valkey with production settings."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from ireval_site.laptop.reaper import Reaper
from tests import servers
from tests.conftest import absent
from tests.site import compose
from tests.site.processes import wait_until

SECRETS = {"SECRET_KEY": "a-secret-only-for-this-test-" + "x1y2z3" * 8, "POSTGRES_PASSWORD": "0123456789abcdef"}
PLACES = ("DATABASE_URL", "REDIS_URL")  # the only two that differ from what a container is given: where the servers are


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """An empty database and broker of its own, and what a container's environment holds."""
    named = {name: os.environ.pop(name) for name in PLACES if name in os.environ}
    try:
        with servers.postgres() as database_url, servers.valkey(tcp=True) as redis_url:
            yield World(tmp_path_factory.mktemp("container"), {"DATABASE_URL": database_url, "REDIS_URL": redis_url})
    except servers.NoServer as problem:
        absent("postgres", str(problem))
    finally:
        os.environ.update(named)


class World:
    """Runs what docker-compose.yml and the Dockerfile say, in order, each once."""

    def __init__(self, data: Path, places: dict[str, str]) -> None:
        self.services = compose.services(SECRETS)
        self.places, self.port = places, servers.free_port()
        self.folders = {"IREVAL_DATA": str(data), "IREVAL_STATIC": str(data / "static"), "HOSTNAME": "a-container"}
        self.data = data

    def environment(self, service: str) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        variables = self.services[service]["environment"]
        return {"PATH": path, "HOME": str(self.data), "PYTHONUNBUFFERED": "1", **variables, **self.places, **self.folders}

    def here(self, words: list[str]) -> list[str]:
        """The command with this test's port and host name instead of the container's own."""
        words = [word.replace("8000", str(self.port)) for word in words]
        return [*words, "--hostname", "celery@a-container"] if "worker" in words else words

    def run(self, service: str, words: list[str]) -> None:
        done = self.ended(service, words)
        assert done.returncode == 0, done.stdout + done.stderr

    def healthy(self, service: str) -> bool:
        return self.ended(service, compose.health_check(self.services[service])).returncode == 0

    def ended(self, service: str, words: list[str]) -> subprocess.CompletedProcess[str]:
        words, variables = self.here(words), self.environment(service)
        return subprocess.run(words, env=variables, cwd=compose.ROOT, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_the_whole_start_of_the_containers(world):
    """migrate, collectstatic, web, celery and beat, each by its own words, until all of their health checks are green."""
    world.run("migrate", compose.command(world.services["migrate"]))
    build = next(words for words in compose.instructions("RUN") if "collectstatic" in words)
    world.run("web", ["sh", "-c", build.partition(" && ")[0]])
    reaper = Reaper()
    try:
        started = {name: start(world, reaper, name) for name in ("web", "celery", "beat")}
        # Asking costs a process of its own each time: ask when there is somebody to answer.
        assert wait_until(lambda: "celery@a-container ready" in log(world, "celery"), seconds=120), log(world, "celery")
        assert wait_until(lambda: world.healthy("celery"), seconds=120), log(world, "celery")
        assert wait_until(lambda: world.healthy("web"), seconds=120), log(world, "web")
        page = read(world, "/")
        styles = re.findall(r'href="(/static/[^"]+\.css)"', page)
        assert styles
        assert all(re.search(r"\.[0-9a-f]{12}\.css$", style) for style in styles)  # the collected, hashed files
        assert all("{" in read(world, style) for style in styles)
        # The beat says that it is time, a Celery worker hears it: the sweep ran without anybody's request.
        assert wait_until(lambda: "sweep_outbox[" in log(world, "celery"), seconds=120), log(world, "beat")
        assert wait_until(lambda: world.healthy("beat"), seconds=20)  # it touches its file after it has sent a task
        started["beat"].send_signal(signal.SIGSTOP)
        os.utime(world.data / "beat", (time.time() - 120,) * 2)
        assert not world.healthy("beat")  # it hangs, and says nothing
        started["beat"].send_signal(signal.SIGCONT)
        assert all(process.poll() is None for process in started.values())
    finally:
        reaper.close()


@pytest.mark.slow
def test_a_health_check_is_red_when_its_service_is_down(world):
    assert not world.healthy("web")
    assert not world.healthy("celery")
    (world.data / "beat").unlink(missing_ok=True)
    assert not world.healthy("beat")


@pytest.mark.parametrize("name", SECRETS)
def test_a_missing_secret_stops_everything_with_its_remedy(name):
    with pytest.raises(compose.Missing, match=rf"{name} is not set\. Put {name}=… into \.env, made by openssl rand"):
        compose.services({key: value for key, value in SECRETS.items() if key != name})


def test_every_service_is_bounded_and_has_no_right_that_it_does_not_need():
    services = compose.services(SECRETS)
    for name, service in services.items():
        assert service["read_only"] is True and service["security_opt"] == ["no-new-privileges:true"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["logging"] == {"driver": "json-file", "options": {"max-size": "10m", "max-file": "5"}}, name
        assert service["deploy"]["resources"]["limits"].keys() == {"cpus", "memory"}, name
    assert {name for name, service in services.items() if "cap_add" in service} == {"postgres"}
    assert services["valkey"]["user"] == "valkey"  # its image would begin as root, as that of PostgreSQL does


def test_an_upgrade_builds_anew_and_migrates_first():
    page = (compose.ROOT / "docs" / "how-to" / "operations.md").read_text()
    assert "docker compose up --detach --build" in page
    services = compose.services(SECRETS)
    assert [name for name, service in services.items() if service.get("build")] == ["migrate", "web", "celery", "beat"]


def test_who_waits_for_whom():
    services = compose.services(SECRETS)
    for name in ("web", "celery", "beat"):
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
        assert services[name]["depends_on"]["valkey"] == {"condition": "service_healthy"}
    assert services["migrate"]["depends_on"]["postgres"] == {"condition": "service_healthy"}
    for name in ("web", "celery", "beat", "postgres", "valkey"):
        assert services[name]["healthcheck"]["test"]


def test_the_image_runs_as_nobody_in_particular_on_hashed_requirements():
    assert compose.instructions("USER") == ["ireval"]
    assert any("--require-hashes -r requirements.txt -r requirements-s3.txt" in words for words in compose.instructions("RUN"))


def test_the_broker_and_its_health_check(tmp_path):
    """Valkey's own words are understood by the Valkey that the laptop embeds."""
    from ireval_site.laptop import broker

    words = compose.command(compose.services(SECRETS)["valkey"])
    assert words[0] == "valkey-server"
    reaper, folder = Reaper(), broker.private_folder()
    reaper.remove_at_the_end(folder)
    try:
        socket = ["--port", "0", "--unixsocket", str(folder / broker.SOCKET_NAME)]
        reaper.start([str(broker.executable()), *words[1:], *socket], stdout=subprocess.DEVNULL, cwd=tmp_path)
        broker.wait_until_ready(folder)
    finally:
        reaper.close()
    assert list(tmp_path.iterdir()) == []  # nothing kept on disk


def start(world: World, reaper: Reaper, name: str) -> subprocess.Popen[bytes]:
    with open(world.data / f"{name}.log", "wb") as out:
        words = world.here(compose.command(world.services[name]))
        return reaper.start(words, env=world.environment(name), cwd=compose.ROOT, stdout=out, stderr=out)


def log(world: World, name: str) -> str:
    return (world.data / f"{name}.log").read_text()


def read(world: World, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{world.port}{path}", timeout=10) as answer:
        return answer.read().decode()
