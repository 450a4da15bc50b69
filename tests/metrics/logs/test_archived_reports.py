"""A report says the same, to the last digit, whether nothing, some or all of its records are archived."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from judging.logs.archive import moves, selections
from judging.logs.intake import receive
from judging.models import ArchiveFile, Experiment
from metrics.kinds.ab import evidence as ab
from metrics.kinds.clicks import evidence as clicks
from metrics.kinds.interleaving import evidence as interleaving
from metrics.logs import frames
from tests.metrics.logs import clicked_log
from tests.metrics.logs.conftest import START, event

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment(experiment):
    """It is over, so that its end is not now."""
    experiment.state, experiment.stopped = "stopped", START + timedelta(days=5)
    experiment.save()
    return experiment


@pytest.fixture
def log(site, visit):
    """Four days of visits, received as they happened; some clicks name no rank, and some no client."""
    for day in range(4):
        records = [
            record
            for n in range(6)
            for record in visit(
                f"c{n}", ["d1"], ["d2", "d3"][: n % 3], arm=("control", "new")[n % 2], device=("phone", "desk")[n % 3 > 0],
                day=day, hour=n, bought=9.5 if n == day else None,
            )
        ]  # fmt: skip
        for number, record in enumerate(records):
            if number % 5 == 1:
                record.get("event_attributes", {}).pop("position", None)
            if number % 7 == 2 and "action_name" in record:
                del record["client_id"]
        receive(site, records, now=START + timedelta(days=day, hours=14))


@pytest.fixture
def late_log(site, visit, log):
    """The same, two records that came 20 days late, one that a fast clock sent an hour early, and a visit at a month's end."""
    receive(site, visit("c3", ["d1"], day=1, hour=10), now=START + timedelta(days=21))
    past_midnight = START + timedelta(days=1, hours=-8.5)
    purchase = event({"client_id": "c4"}, "purchase", "d2", past_midnight, value=3.5)
    receive(site, [purchase], now=past_midnight - timedelta(hours=1))
    records = visit("c5", ["d2"], ["d3"], arm=None, day=-2, hour=14.97)
    moments = [datetime.fromisoformat(record["timestamp"]) for record in records]
    assert {moment.month for moment in moments} == {10, 11}
    for record, moment in zip(records, moments, strict=True):
        receive(site, [record], now=moment)


def results_as_archived(site, compute):
    """The report's result with nothing archived, then with two days, then with all."""
    yield compute()
    for day in (2, 22):
        assert moves.archive(site, before=START + timedelta(days=day))
        yield compute()


@pytest.mark.parametrize("most", [1000, 60])
def test_of_an_experiment(site, late_log, experiment, compute, monkeypatch, most):
    monkeypatch.setattr(ab, "ROWS_A_PART", most)
    first, *others = results_as_archived(site, lambda: compute(experiment).result)
    assert first["everybody"]["searches"] == 49
    assert all(other == first for other in others)
    assert sum(ArchiveFile.objects.values_list("rows", flat=True)) == 107


def test_of_an_experiment_on_users(site, late_log, experiment, compute, monkeypatch):
    count_users(site, experiment)
    monkeypatch.setattr(ab, "ROWS_A_PART", 60)
    first, *others = results_as_archived(site, lambda: compute(experiment).result)
    assert first["everybody"]["units"] == 3
    assert all(other == first for other in others)


def count_users(site, experiment):
    """Make users its units, three of whom are signed in."""
    Experiment.objects.filter(pk=experiment.pk).update(unit="user")
    experiment.refresh_from_db()
    receive(site, [record | {"user_id": f"u{n}"} for n in range(3) for record in log_of_user(n)], now=START + timedelta(days=2))


def log_of_user(n):
    moment = START + timedelta(hours=n + 1)
    about = {"query_id": f"of user {n}", "client_id": f"browser {n}"}
    yield {**about, "user_query": "owls", "timestamp": moment.isoformat(),
           "query_attributes": {"experiment": "ranking", "arm": "new"}}  # fmt: skip
    yield {**about, "action_name": "click", "timestamp": (moment + timedelta(seconds=3)).isoformat()}


def test_a_part_opens_the_files_of_its_clients_and_of_no_client_alone(site, log, experiment, monkeypatch):
    monkeypatch.setattr(moves, "ROWS_A_FILE", 20)
    moves.archive(site, before=START + timedelta(days=5))
    buckets = set(ArchiveFile.objects.filter(buckets=4).values_list("bucket", flat=True))
    opened, whole = [], selections.paths_of
    monkeypatch.setattr(selections, "paths_of", lambda files, folder: opened.extend(files) or whole(files, folder))
    window = frames.window_of(experiment, START + timedelta(days=5))
    assert None in buckets and len(buckets) > 1
    for number in range(4):
        opened.clear()
        frames.searches(window.part(number, 4), "ranking", ["control", "new"])
        frames.events(window.part(number, 4))
        assert {file.bucket for file in opened} == buckets & {number, None}
    opened.clear()
    frames.searches(replace(window, until=START), "ranking", ["control", "new"])
    assert not opened


@pytest.mark.slow
def test_of_clicks(site, late_log, monkeypatch):
    monkeypatch.setattr(clicks, "ROWS_A_PART", 60)

    def compute():
        report = clicked_log.computed(site, days=None)
        tables = sorted((table.name, bytes(table.content)) for table in report.tables.all())
        return report.result, tables

    first, *others = results_as_archived(site, compute)
    assert first[0]["counts"]["searches"] == 51
    assert all(other == first for other in others)


def test_of_interleaving(site, experiment, compute, monkeypatch):
    monkeypatch.setattr(interleaving, "ROWS_A_PART", 20)
    interleave(site, experiment)
    first, *others = results_as_archived(site, lambda: compute(experiment).result)
    assert first["counts"]["impressions"] == 20
    assert all(other == first for other in others)


def interleave(site, experiment):
    """Make it an experiment of interleaving, with four days of lists and clicks on them."""
    Experiment.objects.filter(pk=experiment.pk).update(kind="interleaving", method="team_draft", metrics=[])
    experiment.refresh_from_db()
    made = {"method": "team_draft", "arms": ["control", "new"], "shares": [[1, 0], [0, 1]], "places": [[1, 2], [2, 1]]}
    for day in range(4):
        for n in range(5):
            at = START + timedelta(days=day, hours=1, minutes=n)
            about = {"query_id": f"q{day}-{n}", "client_id": f"c{n}"}
            attributes = {"experiment": "ranking", "arm": "interleaved", "interleaving": made}
            search = {**about, "user_query": "Owls", "timestamp": at.isoformat(), "query_response_hit_ids": ["a", "b"]}
            click = {**about, "action_name": "click", "timestamp": at.isoformat()}
            click["event_attributes"] = {"object": {"object_id": "ab"[(n + day) % 3 > 0]}}
            receive(site, [{**search, "query_attributes": attributes}, click], now=at)
