"""A team's installation on one machine: `python -m benchmarks.team --port 8000 --folder /tmp/team`.

PostgreSQL with fsync, Valkey on a port, the web server, a Celery worker and its beat, as commands. Who dies is started again,
as systemd or Docker would do.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from ireval_site.laptop import broker
from ireval_site.laptop.reaper import Reaper
from ireval_site.laptop.supervisor import Supervisor, say
from tests.servers import Cluster, free_port, wait_for_postgres

ROOT = Path(__file__).resolve().parent.parent
PYTHON = [sys.executable, "-u", "-m"]  # commands, as a team's are; a laptop's are copies of the launcher
LOOK_SECONDS = 0.1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="an empty one, for the database and the files")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    supervisor = Supervisor(Reaper(), options.folder / "log")
    try:
        start(supervisor, options.folder, options.port)
        say(f"Ready: {os.environ['DATABASE_URL']} {os.environ['REDIS_URL']}")
        while True:
            supervisor.look(started=True)
            time.sleep(LOOK_SECONDS)
    finally:
        supervisor.stop()


def start(supervisor: Supervisor, folder: Path, port: int) -> None:
    database, queue = broker.private_folder(), broker.private_folder()
    for place in (database, queue):
        supervisor.reaper.remove_at_the_end(place)
    cluster, redis = Cluster(supervisor.reaper, database, durable=True), free_port()
    os.environ.update(DATABASE_URL=cluster.url, REDIS_URL=f"redis://127.0.0.1:{redis}/0", IREVAL_DATA=str(folder))
    supervisor.start("postgres", [*unprivileged(cluster), *cluster.command()])
    postgres = supervisor.services[-1]
    assert isinstance(postgres.process, subprocess.Popen)
    wait_for_postgres(cluster.url, postgres.process, postgres.log)
    listening = ["--port", str(redis), "--bind", "127.0.0.1"]
    supervisor.start("valkey", [*broker.command(queue), *listening], watched=False)
    broker.wait_until_ready(queue)
    subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, check=True)
    supervisor.start("web", [*PYTHON, "ireval_site.web", "--port", str(port)])
    worker = ["worker", "--concurrency", "2", "--loglevel", "warning"]
    supervisor.start("celery", [*PYTHON, "celery", "--app", "ireval_site", *worker])
    supervisor.start("beat", [*PYTHON, "celery", "--app", "ireval_site", "beat", "--loglevel", "warning", "--pidfile="])


def unprivileged(cluster: Cluster) -> list[str]:
    """What leaves root behind before PostgreSQL, which refuses to run as root."""
    if not cluster.account:
        return []
    return ["setpriv", f"--reuid={cluster.account['user']}", f"--regid={cluster.account['group']}", "--clear-groups"]


if __name__ == "__main__":
    main()
