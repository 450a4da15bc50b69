"""Reports of logs on a Spark cluster: one task of a job is one part of a report, by the code that Celery workers run.

The cluster is given that code, the names of the site's files, and what the report's parts need. It learns no secret, and no
address of the database. It gives back tallies, in the order of the parts.
"""

import json
import logging
import os
import pickle
import socket
import tempfile
import threading
import time
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import polars as pl
from django.conf import settings

from ireval.translatable import Phrase
from judging.logs.archive.cluster_files import exported
from judging.models import Experiment, Site
from metrics.logs import executor
from metrics.logs.frames import Window
from metrics.models import Report
from metrics.pipeline import CannotCompute
from metrics.stored_tables import from_parquet

# The tally of a part: sums to be added up, and rows where sums are not enough.
Tally = tuple[dict[str, Any], pl.DataFrame | None]
CODE = ("ireval", "judging", "metrics", "ireval_site")
# What parts look at. Whatever signs or hashes stays here, and who anybody is.
OF_SITE = ("pk", "first_ordinal")
OF_EXPERIMENT = ("pk", "name", "unit", "started", "stopped", "before_days")
OF_REPORT = ("pk", "kind", "spec", "as_of")
PORT = 15002  # of Spark Connect, where an address names none
PATIENCE_SECONDS = 60
# On a busy cluster a job waits its turn. Spark's client has no limit of its own, and Celery's for a task says no reason.
SILENT_SECONDS = 1200.0
LOOK_SECONDS = 10.0
STOP_SECONDS = 60.0

Answer = TypeVar("Answer")
log = logging.getLogger(__name__)


class ClusterAway(ConnectionError):
    """The cluster cannot be reached, or says nothing more."""


def is_set() -> bool:
    return bool(settings.LOG_ENGINE)


def tallies(
    part: Callable[[Report, int, int], Tally], window: Callable[[Report], Window], report: Report, numbers: Sequence[int]
) -> Iterator[Tally]:
    """The tallies of these parts, in their order. Once nobody waits for the report any more, the job is cancelled."""
    wait_for(settings.LOG_ENGINE)
    wanted = partial(require_wanted, report)
    with exported(window(report).selection) as files, session(wanted) as spark:
        work = executor.Work(part, lean(report), files, report.spec["parts"], list(numbers))
        compute = partial(executor.compute, executor.needed_settings(), pickle.dumps(work))
        job = spark.range(0, len(numbers), 1, len(numbers)).mapInArrow(compute, executor.COLUMNS)
        rows = job.toLocalIterator()
        for tally in put_together(iter(lambda: answered(partial(next, rows, None), wanted), None)):
            yield tally
            wanted()


def require_wanted(report: Report) -> None:
    if not Report.objects.filter(pk=report.pk).unfinished().exists():
        raise CannotCompute(Phrase("Nobody waits for this report any more."))


def lean(report: Report) -> Report:
    """The report with what its parts look at."""
    bare: dict[str, Any] = {}
    if report.experiment:
        of_experiment = {name: getattr(report.experiment, name) for name in OF_EXPERIMENT}
        bare["experiment"] = Experiment(**of_experiment, site=lean_site(report.experiment.site))
    if report.site:
        bare["site"] = lean_site(report.site)
    return Report(**{name: getattr(report, name) for name in OF_REPORT}, **bare)


def lean_site(site: Site) -> Site:
    return Site(**{name: getattr(site, name) for name in OF_SITE}, secret="")


@contextmanager
def session(wanted: Callable[[], None]) -> Iterator[Any]:
    """A session of its own, with the code of this version. What it runs is cancelled when it ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of pandas, which is not used
        # Else its gRPC starts threads in every process that is forked from here; some of these die of it before they begin.
        os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
        from pyspark.sql import SparkSession  # noqa: PLC0415  optional, and takes much memory

        spark = answered(SparkSession.builder.remote(settings.LOG_ENGINE).create, wanted)
    with tempfile.TemporaryDirectory(prefix="ireval-code-") as folder:
        try:
            answered(partial(spark.addArtifacts, str(packed(Path(folder))), pyfile=True), wanted)
            yield spark
        finally:
            try:
                answered(spark.stop, silent=STOP_SECONDS)
            except ClusterAway as error:
                log.warning("a job of the cluster may go on: %s", error)
                answered(spark.client.close, silent=STOP_SECONDS)  # ends what still waits for an answer


def answered(ask: Callable[[], Answer], look: Callable[[], None] = lambda: None, *, silent: float | None = None) -> Answer:
    """What the cluster answers. ClusterAway where it says nothing for so many seconds; meanwhile this looks around.

    The question has a thread of its own, which is left to itself where no answer comes.
    """
    limit = SILENT_SECONDS if silent is None else silent
    answer: futures.Future[Answer] = futures.Future()
    threading.Thread(target=settle, args=[answer, ask], daemon=True).start()
    patience = time.monotonic() + limit
    while not futures.wait([answer], timeout=min(LOOK_SECONDS, limit)).done:
        if time.monotonic() > patience:
            raise ClusterAway(f"The cluster that IREVAL_LOG_ENGINE names has said nothing for {limit:.0f} seconds.")
        look()
    return answer.result()


def settle(answer: "futures.Future[Answer]", ask: Callable[[], Answer]) -> None:
    try:
        answer.set_result(ask())
    except BaseException as error:
        answer.set_exception(error)


def wait_for(address: str) -> None:
    """See that somebody listens; else the client tries for twenty minutes, and says nothing."""
    parts = urlsplit(address)
    place, patience = (parts.hostname or "", parts.port or PORT), time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return socket.create_connection(place, timeout=5).close()
        except OSError as error:
            if time.monotonic() > patience:
                raise ClusterAway(f"Nobody listens at {place[0]}:{place[1]}, which IREVAL_LOG_ENGINE names: {error}") from None
            time.sleep(1)


def packed(folder: Path) -> Path:
    """The code of this version, as Python imports it from a file."""
    path = folder / "ireval-code.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as code:
        for source in sorted(
            source for package in CODE for ending in ("*.py", "*.pyi") for source in (settings.BASE_DIR / package).rglob(ending)
        ):
            code.write(source, source.relative_to(settings.BASE_DIR))
    return path


def put_together(rows: Iterable[Any]) -> Iterator[Tally]:
    """Tallies of the rows in which they came: the pieces of a table, if there is one, and sums."""
    table = b""
    for row in rows:
        if row.sums is None:
            table += row.piece
        else:
            yield json.loads(row.sums), from_parquet(table) if table else None
            table = b""
