"""The list of verdicts: all of them by pages, searched and filtered, at the same cost however many there are."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.models import Hypothesis, System
from metrics.models import Report
from metrics.views.verdict import VERDICTS

pytestmark = pytest.mark.django_db
STATES = {
    "equal": {"state": "done", "result": {"outcome": "equal", "answers": []}},
    "unknown": {"state": "done", "result": {"outcome": "unknown", "answers": []}},
    "failed": {"state": "failed", "error": "no qrels"},
    "waiting": {"state": "waiting"},
}


@pytest.fixture
def ask(collection, researcher):
    """Questions of whether systems of these names are better than “old”, with the reports that the names tell of."""
    old = System.objects.create(collection=collection, name="old", created_by=researcher)

    def ask(*names, by=researcher):
        systems = System.objects.bulk_create(System(collection=collection, name=name, created_by=researcher) for name in names)
        asked = [Hypothesis.objects.create(a=old, b=system, expectations={}, created_by=by) for system in systems]
        for hypothesis, name in zip(asked, names, strict=True):
            if facts := STATES.get(name.split("-")[0]):
                Report.objects.create(kind="verdict", hypothesis=hypothesis, spec={}, engine_version="1", **facts)
        return asked

    return ask


def shown(client, query=""):
    table = client.get(reverse("verdicts") + query).content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    return re.findall(r">(\S+) against old</a>", table)


def test_it_is_filtered_by_the_answer_searched_and_sorted(rita, ask, collection, admin):
    ask("equal", "unknown", "failed", "waiting", "nobody-looked")
    ask("another", by=admin)
    Hypothesis.objects.get(b__name="another").readers.add(collection.owner)
    answers = {key: shown(rita, f"?answer={key}") for key in ("settled", "open", "failed", "computing")}
    assert answers == {"settled": ["equal"], "open": ["unknown"], "failed": ["failed"], "computing": ["waiting"]}
    assert shown(rita, f"?by={admin.pk}") == ["another"]
    assert shown(rita, "?q=LOOK") == ["nobody-looked"]
    assert len(shown(rita, f"?q={collection.name}")) == 6
    assert shown(rita, "?sort=name") == ["another", "equal", "failed", "nobody-looked", "unknown", "waiting"]
    assert "No verdicts like this" in rita.get(reverse("verdicts") + "?q=fish").content.decode()


def test_the_apis_list_costs_the_same_too(rita, ask):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            rows = rita.get("/api/v1/verdicts/").json()["results"]
        return len(captured), len(rows)

    ask("equal-1", "failed-1")
    few, two = queries()
    ask("equal-2", "failed-2", "waiting-2", "nobody-2", "unknown-2", "equal-3", "failed-3", "waiting-3")
    assert (queries(), two) == ((few, 10), 2)
    told = {row["b"]: (row["state"], row["error"]) for row in rita.get("/api/v1/verdicts/").json()["results"]}
    assert told[System.objects.get(name="failed-2").pk] == ("failed", "no qrels")


def test_its_pages_hold_all_and_cost_the_same_however_many_there_are(rita, ask):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            rita.get(reverse("verdicts"))
        return len(captured)

    ask("equal-0", "unknown-0", "failed-0", "waiting-0", "nobody-0")
    few = queries()
    ask(*(f"{outcome}-{number}" for number in range(1, 21) for outcome in (*STATES, "nobody")))
    assert queries() == few
    pages = [shown(rita, f"?page={number}") for number in (1, 2, 3, 4)]
    assert [len(page) for page in pages] == [VERDICTS.a_page, VERDICTS.a_page, VERDICTS.a_page, 105 - 3 * VERDICTS.a_page]
    assert len(set().union(*pages)) == 105
