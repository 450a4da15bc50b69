"""Reports through the API: asked for, awaited, read, taken away."""

import io

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from judging.models import User
from metrics.kinds.runs.results import outcomes, values
from metrics.models import Report
from metrics.pipeline import fail

pytestmark = pytest.mark.django_db

REPORTS = "/api/v1/reports/"


@pytest.fixture
def as_user():
    def client(user: User) -> APIClient:
        made = APIClient()
        made.default_format = "json"
        made.force_authenticate(user)
        return made

    return client


@pytest.fixture
def api(as_user, researcher):
    return as_user(researcher)


@pytest.fixture
def question(collection, runs, qrels):
    return {
        "collection": collection.pk,
        "runs": [run.pk for run in runs],
        "qrels": [qrels.pk],
        "measures": ["MAP", "ndcg_cut_10"],
    }


def test_a_question_is_asked_awaited_and_answered(api, question, compute, runs, qrels):
    response = api.post(REPORTS, question)
    assert response.status_code == 201
    content = response.json()
    assert (content["state"], content["done_steps"], content["steps"], content["measures"]) == (
        "waiting",
        0,
        2,
        ["AP", "nDCG@10"],
    )
    assert api.get(f"{REPORTS}{content['id']}/").json()["results"] is None
    report = compute(Report.objects.get(pk=content["id"]))
    answered = api.get(f"{REPORTS}{report.pk}/").json()
    assert (answered["state"], answered["done_steps"]) == ("done", 2)
    first = outcomes(report)[0]
    assert answered["results"][0]["run"] == runs[0].pk
    assert answered["results"][0]["means"]["AP"] == {
        "mean": first.means["AP"].mean, "low": first.means["AP"].low, "high": first.means["AP"].high
    }  # fmt: skip
    assert answered["qrels"] == [{"id": qrels.pk, "name": "ornithologists", "sha256": qrels.sha256}]


def test_the_same_question_gives_the_same_report(api, question):
    assert api.post(REPORTS, question).json()["id"] == api.post(REPORTS, question).json()["id"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"measures": ["ndgc"]}, "measures"),
        ({"measures": []}, "measures"),
        ({"measures": "AP"}, "measures"),
        ({"runs": []}, "runs"),
        ({"runs": [999999]}, "runs"),
        ({"qrels": ["x"]}, "qrels"),
        ({"collection": None}, "collection"),
        ({"profile": "mine"}, "profile"),
        ({"topics": "some"}, "topics"),
        ({"relevant_from": 0}, "relevant_from"),
        ({"title": "x" * 201}, "title"),
    ],
)
def test_a_wrong_question_is_refused_by_field(api, question, change, field):
    response = api.post(REPORTS, question | change)
    assert response.status_code == 400
    assert list(response.json()) == [field]
    assert not Report.objects.exists()


def test_what_is_not_yours_does_not_exist(as_user, question, stranger, report):
    sid = as_user(stranger)
    response = sid.post(REPORTS, question)
    assert response.status_code == 400
    assert set(response.json()) == {"collection", "runs", "qrels"}
    assert sid.get(REPORTS).json()["results"] == []
    for path in ("", "values/", "download/"):
        assert sid.get(f"{REPORTS}{report.pk}/{path}").status_code == 404
    assert sid.post(f"{REPORTS}{report.pk}/retry/").status_code == 404
    assert sid.delete(f"{REPORTS}{report.pk}/").status_code == 404


def test_workers_cannot_ask_and_nobody_can_without_signing_in(as_user, question):
    wim = User.objects.create_user("wim", password="a long enough password")
    assert as_user(wim).post(REPORTS, question).status_code == 403
    assert APIClient().get(REPORTS).status_code == 401


def test_readers_of_a_shared_collection_may_not_delete(as_user, report, collection, stranger):
    collection.shared = True
    collection.save()
    sid = as_user(stranger)
    assert sid.get(f"{REPORTS}{report.pk}/").status_code == 200
    assert sid.delete(f"{REPORTS}{report.pk}/").status_code == 404


def test_deleting(api, report):
    assert api.delete(f"{REPORTS}{report.pk}/").status_code == 204
    assert not Report.objects.exists()


def test_the_list_is_filtered(api, ask, report, collection):
    fail(ask(measures="AP").pk, "no luck")

    def ids(query: str) -> list[int]:
        return [report["id"] for report in api.get(f"{REPORTS}?{query}").json()["results"]]

    assert ids("state=done") == [report.pk]
    assert len(ids(f"collection={collection.pk}")) == 2
    assert ids("collection=0") == []
    assert api.get(f"{REPORTS}?state=dreaming").status_code == 400
    assert api.get(f"{REPORTS}?collection=x").status_code == 400


def test_values_by_topic(api, report, runs, qrels):
    address = f"{REPORTS}{report.pk}/values/"
    first = api.get(address).json()
    assert (first["run"], first["qrels"], first["topics"]) == (runs[0].pk, qrels.pk, ["1", "2"])
    second = api.get(f"{address}?run={runs[1].pk}&qrels={qrels.pk}").json()
    assert second["values"]["AP"] == values(report, qrels=qrels.pk, run=runs[1].pk)["AP"].to_list()
    assert set(second["values"]) == set(report.spec["measures"])
    assert api.get(f"{address}?run=0").status_code == 404
    assert api.get(f"{address}?run=x").status_code == 400
    assert api.get(f"{address}?qrels=-1").status_code == 400


def test_files(api, report, rita, runs, qrels):
    address = f"{REPORTS}{report.pk}/download/"
    for kind in ("means.csv", "topics.csv", "report.json"):
        expected = rita.get(f"/reports/{report.pk}/download/{kind}")
        response = api.get(f"{address}?file={kind}", HTTP_ACCEPT="text/csv")
        assert (response.content, response["Content-Type"]) == (expected.content, expected["Content-Type"])
    trec = rita.get(f"/reports/{report.pk}/trec/{qrels.pk}/{runs[1].pk}").content
    assert api.get(f"{address}?file=trec&run={runs[1].pk}").content == trec
    assert api.get(f"{address}?file=report.xml").status_code == 400


def test_an_unfinished_report_has_no_numbers_and_a_failed_one_can_be_tried_again(api, ask):
    report = ask()
    assert api.get(f"{REPORTS}{report.pk}/values/").status_code == 409
    assert api.get(f"{REPORTS}{report.pk}/download/").status_code == 409
    assert api.post(f"{REPORTS}{report.pk}/retry/").status_code == 409
    fail(report.pk, "no luck")
    assert api.get(f"{REPORTS}{report.pk}/").json()["error"] == "no luck"
    assert api.post(f"{REPORTS}{report.pk}/retry/").json()["state"] == "waiting"


def test_the_rules_are_asked_for_checked_and_told(api, question):
    usual = api.post(REPORTS, question).json()
    assert (usual["depth"], usual["judged_only"], usual["ties"]) == (None, False, "profile")
    other = api.post(REPORTS, question | {"depth": 20, "judged_only": True, "ties": "best"}).json()
    assert other["id"] != usual["id"]
    assert (other["depth"], other["judged_only"], other["ties"]) == (20, True, "best")
    for wrong in ({"depth": 0}, {"depth": "deep"}, {"judged_only": "maybe"}, {"ties": "random"}):
        answer = api.post(REPORTS, question | wrong)
        assert (answer.status_code, list(answer.json())) == (400, list(wrong))


def test_the_schema_describes_it_without_warnings():
    from contextlib import redirect_stderr

    output = io.StringIO()
    with redirect_stderr(output):
        schema = SchemaGenerator(api_version="v1").get_schema(public=True)
    assert "metrics" not in output.getvalue()
    assert {path for path in schema["paths"] if "reports" in path} == {
        f"/api/v1/reports/{rest}"
        for rest in (
            "",
            "all/",
            "{id}/",
            *(
                f"{{id}}/{action}/"
                for action in ("agreement", "curves", "differences", "download", "links", "newest", "next", "retry", "values")
            ),
        )
    }


def test_the_curves_of_a_run(api, report, runs, qrels):
    outcome = outcomes(report)[1]
    content = api.get(f"{REPORTS}{report.pk}/curves/?run={runs[1].pk}").json()
    assert (content["run"], content["qrels"], content["topics"]) == (runs[1].pk, qrels.pk, 2)
    normalised = {"nCG", "nCG micro", "nDCG", "nDCG micro"}
    assert set(content["curves"]) == {"interpolated precision", "CG", "ideal CG", "DCG", "ideal DCG", "ROC"} | normalised
    assert content["curves"]["interpolated precision"]["value"] == outcome.precisions
    assert content["curves"]["nDCG"]["x"] == list(range(1, 101))
    assert content["curves"]["nDCG"]["value"][9] == pytest.approx(outcome.means["nDCG@10"].mean)


def test_the_curve_of_one_topic(api, report, runs):
    """alpha ranks d1 d2 d4 for topic 1: both relevant documents come first."""
    content = api.get(f"{REPORTS}{report.pk}/curves/?run={runs[0].pk}&topic=1").json()
    assert (content["topics"], content["curves"]) == (1, {"precision": {"x": [0.5, 1], "value": [1, 1]}})
    for topic in ("", "99"):
        assert api.get(f"{REPORTS}{report.pk}/curves/?topic={topic}").status_code == 404


def test_a_report_older_than_its_curves_gives_those_that_it_has(api, report):
    report.tables.filter(name="curves").delete()
    assert list(api.get(f"{REPORTS}{report.pk}/curves/").json()["curves"]) == ["interpolated precision"]
