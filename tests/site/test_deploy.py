"""The files of deploy/: systemd, nginx and Caddy take them, the page of operations quotes them, and proxies pass on no lie."""

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from configparser import ConfigParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psycopg
import pytest

from ireval_site.celery import touch_beat
from ireval_site.laptop.reaper import Reaper
from tests import servers
from tests.conftest import absent
from tests.servers import free_port
from tests.site import compose
from tests.site.processes import wait_until

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "how-to" / "operations.md").read_text()
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
LIES = {
    "X-Forwarded-For": "192.0.2.66",
    "X_Forwarded_For": "192.0.2.67",
    "X-Forwarded-Proto": "gopher",
    "X_Forwarded_Proto": "gopher",
}
EXPOSED = 25  # tenths of ten; 2.0 when this was written, 9.6 without any of the restrictions


def program(name: str, *elsewhere: str) -> str:
    program = shutil.which(name) or next((path for path in elsewhere if Path(path).exists()), None)
    if not program:
        absent("deploy", f"{name} is not installed here")
    return str(program)


class Unit(ConfigParser):
    """A unit of systemd's, whose names have capitals."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def unit(path: Path) -> Unit:
    parsed = Unit(strict=False, interpolation=None, delimiters=["="])
    parsed.read(path)
    return parsed


def plain(words: str) -> list[str]:
    return re.sub(r" --((host|port|workers|concurrency|loglevel) \S+|no-input)", "", words).split()


def commands(name: str) -> list[str]:
    return re.findall(r"^ExecStart=/opt/ireval/\.venv/bin/(.+)$", (DEPLOY / "systemd" / f"{name}.service").read_text(), re.M)


def test_systemd_understands_every_line(tmp_path):
    analyze = program("systemd-analyze")
    for path in UNITS:
        here = (
            path.read_text().replace("/opt/ireval/.venv/bin", str(Path(sys.executable).parent)).replace("/opt/ireval", str(ROOT))
        )
        (tmp_path / path.name).write_text(here.replace("User=ireval", "User=daemon"))
    written = sorted(map(str, tmp_path.iterdir()))
    done = subprocess.run([analyze, "verify", "--man=no", *written], capture_output=True, text=True, check=False)
    ours = [line for line in done.stderr.splitlines() if str(tmp_path) in line]
    assert (done.returncode, ours) == (0, []), done.stderr
    bounded = [analyze, "security", "--offline=yes", f"--threshold={EXPOSED}", *written]
    done = subprocess.run(bounded, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_no_unit_has_rights_to_spare(path):
    service = unit(path)["Service"]
    assert service["User"] == "ireval"
    assert (service["NoNewPrivileges"], service["CapabilityBoundingSet"], service["ProtectSystem"]) == ("yes", "", "strict")
    if service.get("Type") != "oneshot":
        assert service["Restart"] == "always"
        assert "ireval-migrate.service" in unit(path)["Unit"]["After"]


def test_celery_may_write_backups_where_the_page_says():
    page = (ROOT / "docs" / "how-to" / "backup.md").read_text()
    (folder,) = re.findall(r"IREVAL_BACKUP_TO=(/\S+?)`", page)
    writable = unit(DEPLOY / "systemd" / "ireval-celery.service")["Service"]["ReadWritePaths"]
    assert writable == f"-{folder}", "the unit has to start where the folder is not there"


def test_units_do_what_containers_do():
    """But for addresses and numbers: what one of them learns, the other has to learn, too."""
    services = compose.services({"SECRET_KEY": "x", "POSTGRES_PASSWORD": "x"})
    for name in ("web", "celery", "beat"):
        assert plain(" ".join(commands(f"ireval-{name}"))) == plain(" ".join(compose.command(services[name]))), name
    assert commands("ireval-migrate")[0] == " ".join(compose.command(services["migrate"]))


def test_systemd_hears_that_the_beat_goes_on(tmp_path, settings, monkeypatch):
    settings.DATA_DIR = tmp_path
    assert int(unit(DEPLOY / "systemd" / "ireval-beat.service")["Service"]["WatchdogSec"]) >= 60
    for address in (str(tmp_path / "notify"), f"@ireval-{os.getpid()}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
            systemd.bind(address.replace("@", "\0"))
            monkeypatch.setenv("NOTIFY_SOCKET", address)
            touch_beat()
            assert systemd.recv(99) == b"WATCHDOG=1"


def test_an_upgrade_starts_no_second_beat():
    """`restart` starts what was not running, on every host."""
    (line,) = re.findall(r"^systemctl .*# host by host.*$", PAGE, re.M)
    restarted, tried = (set(re.findall(r"ireval-\w+", words)) for words in line.split("try-restart"))
    assert (restarted, restarted | tried) == ({"ireval-migrate"}, {path.stem for path in UNITS})


def test_by_hand_the_same_is_run_as_by_systemd():
    """And sweeping depends on no Celery worker: one that carried the beat and were killed would leave the others without."""
    block = re.search(r"^By hand that is.*?^```sh\n(.*?)^```", PAGE, re.M | re.S)[1]
    typed = re.sub(r" *#.*|\.venv/bin/", "", block.replace(" && ", "\n")).splitlines()
    units = [words for name in ("migrate", "web", "celery", "beat") for words in commands(f"ireval-{name}")]
    assert [plain(words) for words in typed] == [plain(words) for words in units]


def test_the_page_quotes_the_files():
    quoted = re.findall(r"^```(ini|nginx|caddyfile)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    files = [path.read_text() for path in DEPLOY.rglob("*") if path.is_file()]
    assert {language for language, _ in quoted} == {"ini", "nginx", "caddyfile"}
    for _, text in quoted:
        assert any(text in file for file in files), text


def test_postgresql_takes_its_settings():
    """Names and values; whether they are wise, a machine of that size would say."""
    lines = re.findall(r"^(\w+) = (\S+)$", (DEPLOY / "postgresql.conf").read_text(), re.MULTILINE)
    sizes = re.search(r"^\| memory of its machine \| (.+) \|\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    names = sizes[1].split(" | ")
    rows = [dict(zip(names, row.strip("|").split("|")[1:], strict=True)) for row in sizes[2].splitlines()]
    assert len(lines) == 9 and len(rows) == 3
    assert {name: value.strip() for name, value in rows[1].items()} == {name: value for name, value in lines if name in names}
    try:
        with servers.postgres() as address, psycopg.connect(address, autocommit=True) as connection:
            for name, value in [*lines, *(pair for row in rows for pair in row.items())]:
                connection.execute(f"ALTER SYSTEM SET {name} = '{value.strip()}'")
            connection.execute("ALTER SYSTEM RESET ALL")
    except servers.NoServer as problem:
        absent("postgres", str(problem))


class Upstream(BaseHTTPRequestHandler):
    """In the place of ireval: says what it hears."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write("\n".join(f"{name}: {value}" for name, value in self.headers.items()).encode())

    def log_message(self, *arguments):
        pass


@pytest.fixture
def upstream():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def reaper():
    reaper = Reaper()
    yield reaper
    reaper.close()


def heard(port: int, context: ssl.SSLContext | None) -> dict[str, list[str]]:
    """The headers that come to ireval of a visitor who lies in all."""
    connection = (
        http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=5)
        if context
        else http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    )
    connection.putrequest("GET", "/", skip_host=True)
    for name, value in {"Host": "ireval.example.org", **LIES}.items():
        connection.putheader(name, value)
    connection.endheaders()
    headers: dict[str, list[str]] = {}
    for line in connection.getresponse().read().decode().splitlines():
        name, _, value = line.partition(": ")
        headers.setdefault(name.lower().replace("_", "-"), []).append(value)
    return headers


def answer(port: int, context: ssl.SSLContext | None, log: Path) -> dict[str, list[str]]:
    def ask() -> dict[str, list[str]] | None:
        try:
            return heard(port, context)
        except OSError:
            return None

    headers = wait_until(ask)
    assert headers, log.read_text()
    return headers


def test_nginx_passes_on_who_asked_and_how(tmp_path, upstream, reaper):
    nginx, openssl = program("nginx", "/usr/sbin/nginx"), program("openssl")
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=ireval.example.org", "-days", "1"]
    subprocess.run(
        [openssl, *made, "-keyout", tmp_path / "privkey.pem", "-out", tmp_path / "fullchain.pem"], check=True, capture_output=True
    )
    plain, secure = free_port(), free_port()
    site = (DEPLOY / "nginx.conf").read_text()
    site = site.replace("/etc/letsencrypt/live/ireval.example.org", str(tmp_path))
    site = site.replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    site = re.sub(r"^    listen \[::\].*\n", "", site, flags=re.MULTILINE)
    site = site.replace("listen 80;", f"listen 127.0.0.1:{plain};").replace("listen 443 ssl;", f"listen 127.0.0.1:{secure} ssl;")
    paths = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    main = f"daemon off;\nmaster_process off;\npid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{paths}{site}}}\n"
    (tmp_path / "nginx.conf").write_text(main)
    command, log = [nginx, "-c", tmp_path / "nginx.conf", "-e", tmp_path / "log"], tmp_path / "log"
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    reaper.start([str(word) for word in command])
    headers = answer(secure, ssl._create_unverified_context(), log)
    assert headers["host"] == ["ireval.example.org"]
    assert (headers["x-forwarded-for"], headers["x-forwarded-proto"]) == (["127.0.0.1"], ["https"])
    redirected = http.client.HTTPConnection("127.0.0.1", plain, timeout=5)
    redirected.request("GET", "/join?x=1", headers={"Host": "ireval.example.org"})
    assert redirected.getresponse().headers["Location"] == "https://ireval.example.org/join?x=1"


def test_caddy_passes_on_who_asked_and_how(tmp_path, upstream, reaper):
    caddy, port = program("caddy"), free_port()
    whole = {"args": ["--adapter", "caddyfile", "--config"], "env": {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}}
    validated = [caddy, "validate", *whole["args"], DEPLOY / "Caddyfile"]
    assert subprocess.run(validated, env=whole["env"], capture_output=True, check=False).returncode == 0
    site = (DEPLOY / "Caddyfile").read_text().replace("127.0.0.1:8000", f"127.0.0.1:{upstream}")
    site = site.replace("ireval.example.org {", f"http://:{port} {{\n\tbind 127.0.0.1", 1)
    (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + site)
    log = tmp_path / "log"
    with open(log, "wb") as out:
        reaper.start([caddy, "run", *whole["args"], str(tmp_path / "Caddyfile")], env=whole["env"], stdout=out, stderr=out)
    headers = answer(port, None, log)
    assert headers["host"] == ["ireval.example.org"]
    assert (headers["x-forwarded-for"], headers["x-forwarded-proto"]) == (["127.0.0.1"], ["http"])
