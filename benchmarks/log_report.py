"""Time and memory of a report over a large log on PostgreSQL.

    python -m benchmarks.log_report [ab] [--users 1130000] [--searches 3400000] [--events 10200000]
    python -m benchmarks.log_report interleaving [--users 1000000] [--searches 2000000]
    python -m benchmarks.log_report clicks [--documents 20]

The database writes the log itself (`made_logs`). Then the report is asked for, and its parts are computed by as many processes as
Celery has (`--processes 2`) until it is published. Prints the time and the largest memory of all processes together.

`--archive` first moves all records into files, and reports read these. `--straight` writes such files without PostgreSQL, a day
at a time: a hundred million events fit onto the disk. `--imported` writes each day as NDJSON, packed, and imports it with
`import_log --archive` in as many processes.

`--spark` computes each report once more on a Spark of two workers on this machine, and fails where it says anything else.
"""

import argparse
import contextlib
import multiprocessing
import os
import resource
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.judging import environment_for
from benchmarks.made_logs import DAY, fill


def archive(experiment: int) -> None:
    from django.db.models import Sum
    from django.utils import timezone

    from judging.logs.archive import moves
    from judging.models import ArchiveFile, Experiment

    start = time.perf_counter()
    moved = moves.archive(Experiment.objects.get(pk=experiment).site, before=timezone.now() + DAY)
    took = time.perf_counter() - start
    size = ArchiveFile.objects.aggregate(size=Sum("bytes"))["size"]
    print(
        f"archived: {moved:,} records in {took:.1f} s, {ArchiveFile.objects.count():,} files, {size / 2**20:,.0f} MiB", flush=True
    )


def compute(queue: multiprocessing.Queue, ready: Any, peaks: multiprocessing.Queue) -> None:
    """What a process of Celery's does, which is there before somebody asks for a report."""
    import django

    django.setup()
    from metrics import pipeline
    from metrics.kinds.registry import kind_of

    ready.wait()
    used = resource.getrusage(resource.RUSAGE_SELF)
    before = used.ru_utime + used.ru_stime
    while (part := queue.get()) is not None:
        report, number = part
        kind = kind_of(report)
        assert kind
        pipeline.compute_part(kind, report, number)
        pipeline.publish_if_complete(kind, report)
    used = resource.getrusage(resource.RUSAGE_SELF)
    peaks.put((used.ru_maxrss / 1024, used.ru_utime + used.ru_stime - before))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="?", choices=["ab", "interleaving", "clicks"], default="ab")
    for name, default in (("events", 10_200_000), ("documents", 20), ("processes", 2), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name in ("archive", "straight", "imported", "spark"):
        parser.add_argument(f"--{name}", action="store_true")
    for name in ("users", "searches"):
        parser.add_argument(f"--{name}", type=int)
    options = parser.parse_args()
    options.users = options.users or (1_130_000 if options.kind == "ab" else 1_000_000)
    options.searches = options.searches or (3_400_000 if options.kind == "ab" else 2_000_000)
    with environment_for(postgres=True) as environment:
        os.environ.update({"POLARS_MAX_THREADS": "1", **environment})  # as Celery's processes have it
        import django

        django.setup()
        experiment = fill(options.kind, vars(options).copy())
        if options.archive or options.straight or options.imported:
            archive(experiment)
        with spark_or_none(wanted=options.spark) as cluster:
            for _ in range(options.rounds):
                here = one_round(options.kind, experiment, options.processes)
                if cluster:
                    on_spark(cluster, options.kind, experiment, here)


@contextlib.contextmanager
def spark_or_none(*, wanted: bool) -> Iterator[str]:
    from tests import spark

    if not wanted:
        yield ""
        return
    with spark.connect_server() as address:
        yield address


def begun(kind: str, experiment: int) -> tuple[Any, Any]:
    """A report that is ready to be computed, and its kind."""
    from judging.models import Experiment
    from metrics import pipeline
    from metrics.kinds.clicks.freshness import request_click_report
    from metrics.kinds.experiment_reports import request_experiment_report
    from metrics.kinds.registry import kind_of

    ended = Experiment.objects.get(pk=experiment)
    report = request_click_report(ended.site) if kind == "clicks" else request_experiment_report(ended)
    reads = kind_of(report.pk)
    assert reads
    pipeline.begin(reads, report.pk)
    return report, reads


def one_round(kind: str, experiment: int, processes: int) -> dict[str, Any]:
    from metrics.models import Report

    context = multiprocessing.get_context("spawn")
    queue, ready, peaks = context.Queue(), context.Barrier(processes + 1), context.Queue()
    workers = [context.Process(target=compute, args=[queue, ready, peaks]) for _ in range(processes)]
    for worker in workers:
        worker.start()
    ready.wait()
    start = time.perf_counter()
    report, _ = begun(kind, experiment)
    planned = time.perf_counter() - start
    numbers = list(report.parts.values_list("name", flat=True))
    for part in [*((report.pk, number) for number in numbers), *[None] * processes]:
        queue.put(part)
    memory, busy = zip(*(peaks.get() for _ in workers), strict=True)
    for worker in workers:
        worker.join()
    took = time.perf_counter() - start
    done = Report.objects.get(pk=report.pk)
    assert done.is_done and done.result, done.error
    print(
        f"{len(numbers)} parts in {processes} processes: {took:.1f} s, of these {planned:.1f} s to count and plan;"
        f" {sum(busy):.1f} s of processor time in these;"
        f" {sum(memory):.0f} MB at most in all processes, {max(memory):.0f} in one"
    )
    print("counted:", counted(kind, done.result), flush=True)
    return done.result


def on_spark(address: str, kind: str, experiment: int, here: dict[str, Any]) -> None:
    from django.conf import settings

    from metrics import pipeline
    from metrics.models import Report

    start = time.perf_counter()
    settings.LOG_ENGINE = address
    report, reads = begun(kind, experiment)
    planned = time.perf_counter() - start
    pipeline.compute_part(reads, report.pk, pipeline.ALL)
    pipeline.publish_if_complete(reads, report.pk)
    settings.LOG_ENGINE = ""
    took = time.perf_counter() - start
    done = Report.objects.get(pk=report.pk)
    assert done.is_done and done.result, done.error
    print(
        f"{done.parts.count()} parts on two workers of Spark: {took:.1f} s, of these {planned:.1f} s to count and plan;"
        f" counts are the same, fractions differ by {difference(here, done.result):.1g} at most",
        flush=True,
    )


def difference(first: Any, second: Any) -> float:
    """The largest relative difference of two numbers in the same place. Whatever is no fraction has to be the same."""
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return max((difference(first[name], second[name]) for name in first), default=0.0)
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return max(map(difference, first, second), default=0.0)
    if isinstance(first, float) and isinstance(second, float) and first != second:
        relative = abs(first - second) / max(abs(first), abs(second))
        assert relative <= 1e-12, (first, second)
        return relative
    assert first == second, (first, second)
    return 0.0


def counted(kind: str, result: dict[str, Any]) -> str:
    if kind == "ab":
        return f"{sum(result['behaviour']['experiment']['n']):,} users"
    return ", ".join(f"{count:,} {name}" for name, count in result["counts"].items() if isinstance(count, int))


if __name__ == "__main__":
    main()
