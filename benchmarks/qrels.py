"""Time that storing, reading and deleting a million grades takes, beside a bare executemany or COPY of the same rows.

    python -m benchmarks.qrels [--rows 1000000] [--rounds 3] [--postgres]

Each measurement has a process of its own, whose largest memory is that of the application and of what it did. The bare statement
has its rows, or on PostgreSQL its text, made beforehand; it fills the same table, with the same constraints, in one transaction.
The two take turns. Medians of the rounds, which all come from the same machine state.
"""

import argparse
import multiprocessing
import os
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.judging import environment_for

Step = Callable[[], Any]

DOCUMENTS = 1000  # of each topic


def frame_of(rows: int):
    import polars as pl

    numbers = pl.DataFrame({"n": range(rows)}).select(topic=pl.col("n") // DOCUMENTS, document=pl.col("n") * 7919 % 1_000_003)
    texts = {"topic": pl.format("{}", pl.col("topic") + 301), "docno": pl.format("FBIS3-{}-{}", "document", "topic")}
    return numbers.select(**texts, grade=(pl.col("document") % 4).cast(pl.Int32))


def bare(rows: int) -> Step:
    """The statement alone, ready to run."""
    from django.db import connection, transaction

    from judging.collections import grades

    table = grades.as_rows(grades.ordered_grades(frame_of(rows)), an_empty_version().pk)
    on_postgres = connection.vendor == "postgresql"
    content: Any = table.write_csv(include_header=False, quote_style="non_numeric").encode() if on_postgres else table.rows()

    def run() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            if on_postgres:
                with cursor.copy(grades.COPY) as copy:
                    copy.write(content)
            else:
                cursor.executemany(grades.INSERT, content)

    return run


def an_empty_version():
    from judging.models import Qrels

    collection, user = place()
    facts = {"rows": 0, "topic_count": 0, "grade_counts": {}}
    return Qrels.objects.create(collection=collection, name="bare", created_by=user, version=Qrels.objects.count() + 1, **facts)


def place():
    from judging.models import Collection, User

    user, _ = User.objects.get_or_create(username="bench", is_researcher=True)
    return Collection.objects.get_or_create(name="bench", owner=user)[0], user


def storing(rows: int) -> Step:
    from judging.collections.storage import store_qrels

    (collection, user), frame = place(), frame_of(rows)
    return lambda: store_qrels(frame, collection=collection, name="ours", by=user)


def reading(rows: int) -> Step:
    from judging.collections.storage import qrels_frame

    newest = newest_version()
    return lambda: check(qrels_frame(newest).height, rows)


def making_anew(rows: int) -> Step:
    from django.core.files.storage import default_storage

    from judging.collections import qrels_cache

    default_storage.delete(qrels_cache.name_of(newest_version()))
    return reading(rows)


def reading_a_topic(rows: int) -> Step:
    from judging.collections.storage import qrels_frame

    newest = newest_version()
    return lambda: check(qrels_frame(newest, topic="301").height, min(rows, DOCUMENTS))


def deleting(rows: int) -> Step:
    from judging.collections.deletion import delete_qrels

    newest = newest_version()
    return lambda: delete_qrels(newest)


def newest_version():
    return place()[0].qrels.filter(name="ours").latest("version")


def check(height: int, expected: int) -> None:
    assert height == expected, f"{height:,} rows instead of {expected:,}"


STEPS = {
    "bare": bare,
    "stored": storing,
    "read": reading,
    "made anew": making_anew,
    "a topic": reading_a_topic,
    "deleted": deleting,
}


def in_a_process(step: str, rows: int, results: multiprocessing.Queue) -> None:
    import django

    django.setup()
    run = STEPS[step](rows)
    start = time.perf_counter()
    run()
    took = time.perf_counter() - start
    results.put((took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def measured(step: str, rows: int) -> tuple[float, float]:
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=in_a_process, args=[step, rows, results])
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{step}: the process failed")
    return results.get()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with environment_for(postgres=options.postgres) as environment:
        os.environ.update(environment)
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connections

        call_command("migrate", verbosity=0)
        connections.close_all()
        rounds = [{step: measured(step, options.rows) for step in STEPS} for _ in range(options.rounds)]
    for step in STEPS:
        seconds = statistics.median(each[step][0] for each in rounds)
        print(f"{step:10} {seconds:7.3f} s   {max(each[step][1] for each in rounds):5.0f} MB")
    ratios = [each["stored"][0] / each["bare"][0] for each in rounds]
    print(f"stored / bare: {statistics.median(ratios):.2f} ({', '.join(f'{ratio:.2f}' for ratio in ratios)})")


if __name__ == "__main__":
    main()
