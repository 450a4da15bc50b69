"""Time until a verdict on much evidence is there, and until its page is. `python -m benchmarks.verdict_page`

Two systems, 250 topics with 1,000 documents a run, and 50,000 grades: from the question to its answer, every step in this process
as Celery would take it; then the page as a browser that is signed in gets it. SQLite, median and slowest of 30 requests.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

TOPICS, DOCUMENTS, JUDGED, TIMES = 250, 1000, 200, 30


def timed(step: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = step()
    return time.perf_counter() - start, result


def hypothesis() -> Any:
    """The question, on systems whose runs and grades are stored."""
    import numpy as np
    import polars as pl

    from judging.collections.hypotheses import ask
    from judging.collections.storage import store_qrels, store_run
    from judging.collections.systems import confirm, proposals
    from judging.models import Collection, System, Topic, User
    from judging.models.hypothesis import USUAL

    rng = np.random.default_rng(0)
    rita = User.objects.create_superuser("rita")
    collection = Collection.objects.create(name="Much", owner=rita)
    Topic.objects.bulk_create(
        Topic(collection=collection, number=str(number), title=f"topic {number}") for number in range(TOPICS)
    )
    pairs = pl.DataFrame({
        "topic": np.repeat(np.arange(TOPICS), DOCUMENTS).astype(str),
        "docno": np.tile(np.arange(DOCUMENTS), TOPICS).astype(str),
    })  # fmt: skip
    grades = rng.integers(0, 4, pairs.height)
    judged = pairs.with_columns(grade=pl.Series(grades, dtype=pl.Int32)).filter(pl.col("docno").cast(pl.Int64) < JUDGED)
    store_qrels(judged, collection=collection, name="experts", by=rita)
    for name, noise in (("lexical-1", 3), ("dense-1", 2)):
        scores = pl.Series("score", grades + rng.normal(0, noise, len(grades)))
        store_run(pairs.with_columns(scores), collection=collection, name=name, by=rita)
    confirm(collection, [(row.thing, row.system, row.version) for row in proposals(collection)], by=rita)
    lexical, dense = System.objects.get(name="lexical"), System.objects.get(name="dense")
    return ask(lexical, dense, by=rita, expectations=USUAL, why="It reads meaning.")


def answer(asked: Any) -> Any:
    """The report on the question, computed step by step."""
    from metrics import tasks
    from metrics.kinds.verdict.parts import request_verdict

    report = request_verdict(asked)
    tasks.begin_report(report.pk)
    for part in report.parts.values_list("name", flat=True):
        tasks.compute_part(report.pk, part)
    report.refresh_from_db()
    assert report.is_done, report.error
    return report


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"IREVAL_DATA": folder, "DJANGO_SETTINGS_MODULE": "ireval_site.settings", "IREVAL_LOG_LEVEL": "ERROR"}
        import django

        django.setup()
        from django.core.management import call_command
        from django.test import Client

        from judging.models import User

        call_command("migrate", verbosity=0)
        asked = hypothesis()
        seconds, report = timed(lambda: answer(asked))
        print(f"answer {seconds:.2f} s: {report.result['sentence']}")
        client = Client(SERVER_NAME="localhost")
        client.force_login(User.objects.get(), backend="django.contrib.auth.backends.ModelBackend")
        pages = [timed(lambda: client.get(f"/verdicts/{asked.pk}/")) for _ in range(TIMES)]
        assert {response.status_code for _, response in pages} == {200}
        times = [1000 * taken for taken, _ in pages]
        print(f"page {statistics.median(times):.0f} ms, slowest {max(times):.0f} ms, {len(pages[0][1].content) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
