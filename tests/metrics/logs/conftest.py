"""An experiment of a small site, visits to it, and its report computed part by part as Celery workers would."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.judging.logs.conftest import site  # noqa: F401

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
METRICS = ["ctr", "first-click-rr", "conversion:purchase", "value:purchase"]


@pytest.fixture
def experiment(site, researcher):  # noqa: F811
    """Runs since START, with a week before it."""
    from judging.models import Arm, Experiment

    made = Experiment.objects.create(
        site=site, name="ranking", metrics=METRICS, segments=["device"], before_days=7,
        state="running", started=START, created_by=researcher,
    )  # fmt: skip
    Arm.objects.create(experiment=made, name="control", is_control=True)
    Arm.objects.create(experiment=made, name="new")
    return made


@pytest.fixture
def visit():
    """Records of a client who searches a few times, a minute apart, each time clicks on what is listed, and perhaps buys."""

    def visit(client, *clicked, arm="new", device="phone", bought=None, day=0, hour=0):
        begun = START + timedelta(days=day, hours=hour, minutes=1)
        attributes = {"device": device} | ({"experiment": "ranking", "arm": arm} if arm else {})
        records = []
        for number, documents in enumerate(clicked):
            who = {"client_id": client, "query_id": f"{client}-{day}-{hour}-{number}"}
            moment = begun + timedelta(minutes=number)
            shown = {"query_response_hit_ids": ["d1", "d2", "d3"], "query_attributes": attributes}
            records.append({**who, "user_query": "diet of owls", "timestamp": moment.isoformat(), **shown})
            records += [event(who, "click", document, moment + timedelta(seconds=5)) for document in documents]
        if bought is not None:
            records.append(event({"client_id": client}, "purchase", "d1", begun + timedelta(hours=1), value=bought))
        return records

    return visit


def event(who, action, document, moment, **more):
    position = {} if action == "purchase" else {"position": {"ordinal": int(document[1:])}}
    attributes = {"object": {"object_id": document}, **position, **more}
    return {**who, "action_name": action, "timestamp": moment.isoformat(), "event_attributes": attributes}


@pytest.fixture
def compute():
    """Ask for an experiment's report, and carry out all its parts, in one process and in order."""
    from metrics import tasks
    from metrics.kinds.experiment_reports import request_experiment_report

    def compute(experiment):
        report = request_experiment_report(experiment)
        tasks.begin_report(report.pk)
        for number in report.parts.values_list("name", flat=True):
            tasks.compute_part(report.pk, number)
        report.refresh_from_db()
        return report

    return compute
