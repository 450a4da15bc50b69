"""Every CSV file that the application hands out, of a world full of hostile text: each reader counts the same rows.

A file that is not in the list fails the second test.
"""

import csv
import io

import polars as pl
import pytest
from django.test import Client
from django.urls import get_resolver, resolve

from ireval.io.csv_rows import is_number
from metrics.kinds.ab.files import FILES as OF_ARMS
from metrics.kinds.clicks.files import FILES as OF_CLICKS
from metrics.kinds.interleaving.files import FILES as OF_LISTS
from metrics.kinds.preferences.files import FILES as OF_PREFERENCES
from metrics.kinds.quality.files import FILES as OF_QUALITY
from metrics.kinds.runs.files import FILES as OF_RUNS
from tests.metrics.experiments.worlds import impressions, searches, send, started
from tests.metrics.logs.conftest import compute  # noqa: F401
from tests.routes import all_routes
from tests.world import clicked, compared, experiments, logged, wim, world  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

# A bare CR, a formula behind a tab, quotes, line ends, commas, a full-width sign.
NASTY = '\t=1+1\r=2,"x"\n\r\n\'＝3; \u2028'
BARE = "owls\rvoles"
NASTY_ID = "=1,\"'x;@"

ADDRESSES = [
    "/audit.csv",
    "/studies/{running}/history.csv",
    "/studies/{running}/arrivals.csv",
    "/studies/{running}/pay/workers.csv",
    "/studies/{running}/pay/bonuses.csv?source=prolific&what=bonuses",
    "/studies/{running}/export/judgements.csv",
    "/studies/{running}/export/qrels.csv",
    "/studies/{running}/questions/credible/qrels.csv",
    "/studies/{running}/machines/{machine}/grades.csv",
    "/studies/{running}/quality/items.csv",
    "/studies/{running}/quality/workers.csv",
    "/studies/{running}/quality/systems.csv",
    "/studies/{compared}/preferences/votes.csv",
    "/studies/{compared}/preferences/topics.csv",
    "/studies/{compared}/preferences/workers.csv",
    "/collections/qrels/{qrels}/grades.csv",
    "/reports/{report}/download/means.csv",
    "/reports/{report}/download/topics.csv",
    "/reports/{report}/download/curves.csv",
    "/reports/{report}/download/differences.csv",
    "/reports/{report}/download/tags.csv",
    "/reports/{report}/download/agreement.csv",
    "/reports/{report}/next.csv",
    "/sites/{clicked}/clicks/ranks.csv",
    "/sites/{clicked}/clicks/models.csv",
    "/sites/{clicked}/clicks/rules.csv",
    "/sites/{clicked}/clicks/queries.csv",
    "/sites/{clicked}/clicks/documents.csv",
    "/experiments/{arms}/report/effects.csv",
    "/experiments/{arms}/report/segments.csv",
    "/experiments/{arms}/report/looks.csv",
    "/experiments/{arms}/report/days.csv",
    "/experiments/{lists}/report/pairs.csv",
    "/experiments/{lists}/report/queries.csv",
    "/experiments/{lists}/report/looks.csv",
    "/api/v1/studies/{running}/judgements/download/?format=csv",
    "/api/v1/studies/{running}/quality/download/?file=items.csv",
    "/api/v1/studies/{compared}/preferences/download/?format=csv",
    "/api/v1/studies/{running}/machines/{machine}/download/?format=csv",
    "/api/v1/qrels/{qrels}/download/?format=csv",
    "/api/v1/runs/{shown_run}/download/?format=csv",
    "/api/v1/reports/{report}/download/?file=topics.csv",
    "/api/v1/experiments/{arms}/report/download/?file=effects.csv",
]

# What programs read, by the collection's own ids.
TO_THE_LETTER = [
    path for path in ADDRESSES if any(what in path for what in ("/qrels", "/runs/", "grades.csv", "machines", "next.csv"))
]


@pytest.fixture
def collection(collection):
    """The birds, with a topic and documents whose ids are formulas."""
    from judging.models import Document, Topic

    Topic.objects.create(collection=collection, number=NASTY_ID, title=NASTY)
    collection.topics.update(tags=["=1+1", "@x\"'", "＝3"])
    Document.objects.create(collection=collection, docno=NASTY_ID, title=NASTY, text=NASTY)
    return collection


@pytest.fixture
def runs(collection, researcher):
    from judging.collections.storage import store_run

    def run(name, first, second):
        rows = [(topic, docno, score) for topic in ("1", "2", NASTY_ID) for docno, score in ((first, 2.0), (second, 1.0))]
        ranking = pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")
        shown = ranking.select("topic", "docno", *(pl.lit(NASTY).alias(name) for name in ("title", "url", "snippet")))
        return store_run(ranking, collection=collection, name=name, by=researcher, shown=shown)

    return [run(f"{NASTY.strip()}alpha", NASTY_ID, "d1"), run(f"{NASTY.strip()}beta", "d1", "d2")]


@pytest.fixture
def hostile(world, researcher, compute):  # noqa: F811
    """The world after everybody who may write has written the worst; its reports are computed afterwards."""
    from judging import models
    from judging.audit import Deed, note
    from judging.collections.storage import store_qrels
    from metrics.kinds.preferences.parts import PREFERENCES
    from metrics.kinds.quality.parts import QUALITY
    from metrics.kinds.runs.question import request_report
    from metrics.kinds.studies import request_study_report
    from metrics.tasks import begin_report, compute_part

    asked = [{"name": "credible", "text": NASTY}, {"name": "why", "text": NASTY, "kind": "text"}]
    models.Judgement.objects.update(comment=BARE, replies={"credible": 1, "why": NASTY})
    models.Judgement.objects.filter(pk=models.Judgement.objects.last().pk).update(comment=NASTY)
    models.Worker.objects.update(machine=NASTY)
    models.Bonus.objects.update(worker=models.Arrival.objects.get().worker, reason=NASTY)
    models.Arrival.objects.update(participant=NASTY, submission=f"{NASTY}s", their_study=BARE)
    models.Study.objects.filter(pk=world["running"]).update(name=NASTY, questions=asked)
    models.User.objects.filter(pk=researcher.pk).update(username=NASTY)
    study = models.Study.objects.get(pk=world["running"])
    note(Deed.CHANGED, NASTY, researcher, study)
    grades = pl.DataFrame({"topic": ["1", "2", NASTY_ID], "docno": ["d1", NASTY_ID, "d2"], "grade": [1, 2, 1]})
    qrels = store_qrels(grades, collection=study.collection, name=NASTY, by=researcher)
    runs = list(study.collection.runs.all())
    report = request_report(by=researcher, collection=study.collection, runs=runs, qrels=[qrels])
    begin_report(report.pk)
    for run in runs:
        compute_part(report.pk, str(run.pk))
    for key, kind in (("running", QUALITY), ("compared", PREFERENCES)):
        trusted = request_study_report(kind, models.Study.objects.get(pk=world[key]))
        begin_report(trusted.pk)
        for step in trusted.spec["steps"]:
            compute_part(trusted.pk, step)
    site = models.Site.objects.create(name=NASTY, slug="nasty", owner=researcher)
    return {
        **world,
        "qrels": qrels.pk,
        "report": report.pk,
        "shown_run": runs[0].pk,
        "arms": of_arms(site, researcher, compute),
        "lists": of_lists(site, researcher, compute),
    }


def of_arms(site, researcher, compute):  # noqa: F811
    experiment = started(site, researcher, stopped=True, metrics=["ctr"], segments=["device"], planned=40)
    send(site, [hostile_query(record) for record in searches(experiment, {"control": 20, "new": 20})])
    compute(experiment)
    return experiment.pk


def hostile_query(record):
    if "user_query" not in record:
        return record
    return record | {"user_query": NASTY, "query_attributes": record["query_attributes"] | {"device": NASTY}}


def of_lists(site, researcher, compute):  # noqa: F811
    experiment = started(site, researcher, name="lists", kind="interleaving", stopped=True, planned=40)
    send(site, impressions(experiment, 40, texts=(NASTY, "=owls")))
    compute(experiment)
    return experiment.pk


@pytest.fixture
def browsers(hostile):
    from judging.models import User

    clients = {}
    for name, user in (("rita", User.objects.get(username=NASTY)), ("ada", User.objects.create_superuser("ada"))):
        clients[name] = Client()
        clients[name].force_login(user)
    return clients


def content(response):
    return b"".join(response.streaming_content) if response.streaming else response.content


def test_every_reader_counts_the_same_rows(hostile, browsers):
    wrong, seen = {}, set()
    for path in ADDRESSES:
        response = browsers["ada" if path == "/audit.csv" else "rita"].get(path.format(**hostile))
        assert (path, response.status_code, response.get("Content-Type")) == (path, 200, "text/csv; charset=utf-8")
        rows, complaint = read(content(response), ids_to_the_letter=path in TO_THE_LETTER)
        seen |= {cell for row in rows for cell in row if any(nasty in cell for nasty in (NASTY, NASTY_ID, NASTY.strip()))}
        wrong |= {path: complaint} if complaint else {}
    assert wrong == {}
    assert len(seen) > 5


def read(text, *, ids_to_the_letter):
    """The rows by Python's reader, and what is wrong with them; a table of nothing is an empty line."""
    if not text.strip():
        return [], ""
    rows = list(csv.reader(io.StringIO(text.decode(), newline="")))
    by_polars = pl.read_csv(text, has_header=False, infer_schema=False).fill_null("").rows()
    cells = {cell for row in rows for cell in row} - ({NASTY_ID} if ids_to_the_letter else set())
    if rows != list(map(list, by_polars)):
        return rows, f"{len(rows)} rows by Python, {len(by_polars)} by polars"
    if len({len(row) for row in rows}) > 1:
        return rows, f"rows of {[len(row) for row in rows]} cells"
    return rows, ", ".join(cell for cell in cells if is_formula(cell))


def is_formula(cell):
    return cell[:1] in {*"\t\r\n"} or (cell.strip()[:1] in {*"=+-@＝＋－＠"} and not is_number(cell.strip()))


def test_every_csv_file_is_in_the_list(hostile):
    kinds = {path.partition("?")[0].rpartition("/")[2] for path in ADDRESSES}
    made = [OF_RUNS, OF_QUALITY, OF_PREFERENCES, OF_CLICKS, OF_ARMS, OF_LISTS]
    assert {name for files in made for name in files if name.endswith(".csv")} <= kinds
    routes = {resolve(path.format(**hostile).partition("?")[0]).route for path in ADDRESSES}
    handing = ("csv", "<str:kind>", "<str:form>", "download/$", "download/")
    ours = {route for route, _ in all_routes(get_resolver()) if route.endswith(handing) and not route.startswith("admin/")}
    assert ours - routes == set()
