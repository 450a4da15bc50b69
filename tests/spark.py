"""A Spark for tests: one that listens as Spark Connect does, with two workers, on this machine.

It is the one of SPARK_HOME, or of the virtualenv .venv-spark (requirements-cluster.txt), and takes Java.
"""

import contextlib
import os
import shutil
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from tests.servers import NoServer, free_port, reaper_and_folder

WORKERS = "local-cluster[2,1,1024]"  # two, of one core and a gigabyte each
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
START_SECONDS = 90
# What they run is over before a compiler's best code would have paid.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
CHECKOUT = Path(__file__).resolve().parents[1]


def home() -> Path | None:
    """Where Spark is installed."""
    installed = CHECKOUT.glob(".venv-spark/lib/python*/site-packages/pyspark")
    places = [Path(os.environ["SPARK_HOME"])] if os.environ.get("SPARK_HOME") else list(installed)
    return next((place for place in places if (place / "bin" / "spark-submit").exists()), None)


@contextlib.contextmanager
def connect_server(variables: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """The address of a Spark whose workers run this Python, with these variables."""
    if (spark := home()) is None or not shutil.which("java"):
        raise NoServer("Spark or Java is not here: install default-jre-headless, and requirements-cluster.txt in .venv-spark.")
    with reaper_and_folder() as (reaper, folder):
        port = free_port()
        options = {
            "spark.connect.grpc.binding.port": port,
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": folder / "local",
            "spark.sql.warehouse.dir": folder / "warehouse",
            "spark.ui.enabled": "false",
            "spark.task.maxFailures": 1,  # what fails here fails again
            "spark.driver.extraJavaOptions": JAVA,
            "spark.executor.extraJavaOptions": JAVA,
        }
        settings = [word for name, value in options.items() for word in ("--conf", f"{name}={value}")]
        command = [str(spark / "bin" / "spark-submit"), "--master", WORKERS, *settings, "--class", SERVER, "spark-internal"]
        environment = {
            **{name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL", "SECRET_KEY"}},
            "SPARK_HOME": str(spark), "SPARK_WORKER_DIR": str(folder / "workers"), "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": "", **variables,
        }  # fmt: skip
        with open(folder / "log", "wb") as log:
            process = reaper.start(command, stdout=log, stderr=log, cwd=folder, env=environment)
        patience = time.monotonic() + START_SECONDS
        while not listens(port):
            if process.poll() is not None or time.monotonic() > patience:
                raise NoServer(f"Spark did not start: {(folder / 'log').read_text()[-3000:]}")
            time.sleep(0.2)
        yield f"sc://127.0.0.1:{port}"


def listens(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
