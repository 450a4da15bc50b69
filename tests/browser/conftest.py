"""A real Chromium on the whole product, started by its own launcher: web server, broker, Celery and demo."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from _pytest.runner import runtestprotocol

from tests import migrated
from tests.browser.shell import ROOT, Shell

SCREENSHOTS = os.environ.get("IREVAL_SCREENSHOTS")
AXE = os.environ.get("IREVAL_AXE") != "0"
START_SECONDS = 180  # the demo takes ten on a machine that does nothing else
# Whoever speaks to a page says what it shows. axe tries this rule on request alone; all others it has are asked, too.
# What passes is not told: putting that together takes three times as long as asking.
RULES = {"rules": {"label-content-name-mismatch": {"enabled": True}}, "reporter": "no-passes"}
# The rule that the dark decides. axe is on the page already when it is asked.
CONTRAST = """() => axe.run({runOnly: ["color-contrast"], reporter: "no-passes"}).then(
    ({violations}) => violations.map(({nodes}) => nodes[0].html.slice(0, 200)))"""
SIZES = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
    "small": {"width": 360, "height": 640},
}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Run a browser test that failed once more, and say so: a busy browser may do in seconds what a test gives it moments for.

    What is wrong, or depends on the order of the tests, fails again. Pytest asks this of tests elsewhere, too.
    """
    if not item.get_closest_marker("browser"):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    if failed := next((report for report in reports if report.failed), None):
        item.warn(pytest.PytestWarning(f"{item.nodeid} failed, and was run again:\n{failed.longreprtext}"))
        item._initrequest()  # the fixtures of the first time are gone
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


PASSWORD = "a long enough password"
ADMINS = [f"ada-{letter}" for letter in "abcdefghijkl"]
# All tests work in the demo's study, one after the other: so much that its documents are never all judged. And there are admins,
# more than tests change something of.
ENOUGH = f"""
from judging.work.overlap import balance
from django.contrib.auth.hashers import make_password
from judging.models import Collection, Study, User
running = Study.objects.get(invites__isnull=False)
Study.objects.filter(pk=running.pk).update(overlap=20)
running.items.update(wanted=20)
balance(running.items.values_list("pk", flat=True))
for name in {ADMINS}:
    Collection.objects.create(name="Birds of " + name, owner=User.objects.create_superuser(name))
User.objects.filter(username__in={ADMINS}).update(password=make_password("{PASSWORD}"))
"""


@pytest.fixture(scope="session")
def site_environment(tmp_path_factory) -> dict[str, str]:
    """Of the demo, and of commands that change it."""
    folder = tmp_path_factory.mktemp("site")
    environment = {**os.environ, "IREVAL_DATA": str(folder), "PORT": str(free_port())}
    environment.pop("REDIS_URL", None)
    if "DATABASE_URL" not in environment:
        migrated.copied(tmp_path_factory, folder)
    return environment


@pytest.fixture(scope="session")
def shell(site_environment) -> Iterator[Shell]:
    """Runs code on the demo's database."""
    shell = Shell(site_environment)
    yield shell
    shell.close()


@pytest.fixture(scope="session")
def site(site_environment, shell, tmp_path_factory) -> Iterator[str]:
    """The address of a demo that runs until the session ends, with a database and a broker of its own.

    Two sites on one broker would take each other's tasks and look for them in the wrong database.
    """
    environment, folder = site_environment, Path(site_environment["IREVAL_DATA"])
    command = [sys.executable, "-m", "ireval_site.laptop.serve", "--demo"]
    with database_of_its_own(environment, tmp_path_factory), open(folder / "launcher.log", "w") as log:
        launcher = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            address = wait_for_address(folder / "launcher.log", launcher)
            shell(ENOUGH)
            yield address
        finally:
            launcher.terminate()
            launcher.wait(timeout=30)


@contextlib.contextmanager
def database_of_its_own(environment: dict[str, str], factory: pytest.TempPathFactory) -> Iterator[None]:
    """Beside the one that DATABASE_URL names, where it names one; else SQLite in the site's folder."""
    url = environment.get("DATABASE_URL")
    if not url:
        yield
        return
    name = f"browser_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {migrated.postgres(factory, url)}")  # names cannot be parameters
        environment["DATABASE_URL"] = urlsplit(url)._replace(path=f"/{name}").geturl()
        yield
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def wait_for_address(log: Path, launcher: subprocess.Popen) -> str:
    patience = time.monotonic() + START_SECONDS
    while time.monotonic() < patience:
        match = re.search(r"Ready in .*: (http://\S+)", log.read_text())
        if match:
            return match[1].rstrip("/")
        if launcher.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError(f"the launcher did not come up:\n{log.read_text()}")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Watched:
    """A page whose console must stay clean, with a picture of it where pictures are wanted."""

    def __init__(self, page, size: str):
        self.page, self.size = page, size
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda line: self.complaints.append(line.text) if line.type == "error" else None)

    def follow(self, link) -> None:
        """Click and wait for the page it leads to: a click alone returns while the old page still stands."""
        with self.page.expect_navigation():
            link.click()

    def picture(self, name: str, *, whole: bool = True) -> None:
        if SCREENSHOTS:
            Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=f"{SCREENSHOTS}/{name}-{self.size}.png", full_page=whole)

    def check(self, name: str, *, whole: bool = True, axe: bool = True) -> None:
        """Nothing for axe, nothing sideways on a phone, nothing in the console; and a picture."""
        self.picture(name, whole=whole)
        axe = axe and AXE
        violations = self.violations() if axe else []
        assert not violations, f"{name} at {self.size}: {violations}"
        assert not self.is_wide(), f"{name} scrolls sideways at {self.size}"
        if axe and self.size == "desktop" and "/judge/" in self.page.url:
            self.check_dark_and_small(name)
        assert not self.complaints, f"{name}: {self.complaints}"

    def is_wide(self) -> bool:
        return self.page.evaluate("() => document.documentElement.scrollWidth > document.documentElement.clientWidth")

    def check_dark_and_small(self, name: str) -> None:
        """Contrast in the dark, and nothing sideways in the smallest window: of what a worker opens, which no link leads to."""
        page = self.page
        if not page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches"):
            page.emulate_media(color_scheme="dark")
            faint = page.evaluate(CONTRAST)
            page.emulate_media(color_scheme="light")
            assert not faint, f"{name} in the dark: {faint}"
        page.set_viewport_size(SIZES["small"])
        wide = self.is_wide()
        page.set_viewport_size(SIZES[self.size])
        assert not wide, f"{name} scrolls sideways in the smallest window"

    def violations(self) -> list[str]:
        from axe_playwright_python.sync_playwright import Axe

        violations = Axe().run(self.page, options=RULES).response["violations"]
        return [f"{violation['id']}: {violation['nodes'][0]['html'][:200]}" for violation in violations]


ON_A_PHONE = [pytest.mark.slow, pytest.mark.one_database]
# For flows whose pages other tests see on a phone, and for keys, paper and the dark.
PHONE_IN_SOAK = pytest.mark.parametrize(
    "size", ["desktop", pytest.param("phone", marks=[*ON_A_PHONE, pytest.mark.soak])], indirect=True
)


@pytest.fixture(params=["desktop", pytest.param("phone", marks=ON_A_PHONE)])
def size(request):
    return request.param


@pytest.fixture
def browse(chromium, site):
    """Opens a browser of its own: `browse(size="phone", javascript=False)`."""
    contexts = []

    def open_one(size: str = "desktop", *, javascript: bool = True, **more) -> Watched:
        context = chromium.new_context(
            viewport=SIZES[size], base_url=site, java_script_enabled=javascript, has_touch=size != "desktop", **more
        )
        context.set_default_timeout(20_000)
        contexts.append(context)
        return Watched(context.new_page(), size)

    yield open_one
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def usual(site, shell) -> str:
    from tests.browser import pairs

    return pairs.made(shell, "Side by side")


@pytest.fixture(scope="session")
def odd(site, shell) -> str:
    from tests.browser import pairs

    return pairs.made(shell, "Odd lists", points=7, then=pairs.ODD)
