"""Asking by a form: it starts with what one usually wants, and says what is wrong."""

import pytest

from judging.collections.storage import qrels_frame, store_qrels
from judging.models import Collection
from metrics.models import Report

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def path(collection):
    return f"/reports/new/?collection={collection.pk}"


@pytest.fixture
def usual(runs, qrels):
    """What the form sends when nothing was changed; what a test names is changed."""

    def usual(**changed) -> dict:
        form = {
            "runs": [run.pk for run in runs],
            "qrels": [qrels.pk],
            "common": ["AP", "nDCG@10"],
            "measures": "",
            "topics": "both",
        }
        return form | {"relevant_from": "1", "profile": "trec_eval-9", "title": ""} | changed

    return usual


def test_everything_usual_is_chosen_beforehand(rita, path, runs, qrels, settled):
    form = rita.get(path).context["form"]
    assert set(form["runs"].value()) == {run.pk for run in runs}
    assert form["qrels"].value() == [qrels.pk, settled.pk]
    assert form["common"].value() == ["nDCG@10", "AP", "RR", "P@5", "P@10", "R@100", "Rprec", "Judged@10"]


def test_of_several_versions_the_newest_is_chosen_beforehand(rita, path, runs, qrels, settled, researcher):
    newer = store_qrels(qrels_frame(qrels), collection=qrels.collection, name=qrels.name, by=researcher)
    settled.pk, settled.version = None, 2  # as after more judgements
    settled.save()
    assert newer.version == 2
    assert rita.get(path).context["form"]["qrels"].value() == [newer.pk, settled.pk]


def test_an_address_can_name_the_qrels_and_runs(rita, path, runs, qrels, settled):
    form = rita.get(f"{path}&qrels={qrels.pk}&runs={runs[0].pk}&runs=x").context["form"]
    assert (form["qrels"].value(), form["runs"].value()) == ([qrels.pk], [runs[0].pk])


def test_the_form_says_what_qrels_are_made_of(rita, path, runs, settled):
    assert "Bird study v1 · ordinal · 1 grades, 1 topics, binary, 1 judgements simulated" in rita.get(path).content.decode()


def test_asking_leads_to_the_report_and_asking_again_to_the_same(rita, path, usual):
    answers = [rita.post(path, usual(measures="MRR@10, P.3")) for _ in range(2)]
    report = Report.objects.get()
    assert [(answer.status_code, answer["Location"]) for answer in answers] == [(302, f"/reports/{report.pk}/")] * 2
    assert report.spec["measures"] == ["AP", "nDCG@10", "RR@10", "P@3"]
    assert report.created_by.username == "rita"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"runs": []}, "Choose at least one run."),
        ({"qrels": []}, "Choose at least one qrels version."),
        ({"measures": "ndgc@10"}, "did you mean nDCG"),
        ({"common": [], "measures": ""}, "at least one measure"),
        ({"relevant_from": "0"}, "greater than or equal to 1"),
        ({"relevant_from": "one"}, "Enter a whole number"),
        ({"profile": "mine"}, "not one of the available choices"),
        ({"depth": "0"}, "greater than or equal to 1"),
        ({"depth": "ten"}, "Enter a whole number"),
        ({"ties": "random"}, "not one of the available choices"),
        ({"topics": ""}, "This field is required"),
        ({"runs": ["999999"]}, "not one of the available choices"),
        ({"runs": ["x"]}, "not a valid value"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_stored(rita, path, usual, change, says):
    response = rita.post(path, usual(**change))
    assert response.status_code == 422
    assert says in response.content.decode()
    assert not Report.objects.exists()


def test_rules_are_folded_away_unless_one_was_chosen(rita, path, usual):
    folded, open_ = '<details class="group"><summary>Conventions', '<details class="group" open><summary>Conventions'
    assert folded in rita.get(path).content.decode()
    assert folded in rita.post(path, usual(runs=[])).content.decode()
    chosen = [{"judged_only": "on"}, {"ties": "best"}, {"topics": "qrels"}, {"relevant_from": "2"}, {"profile": "trec_eval-10"}]
    for rule in ({"depth": "0"}, *({"runs": []} | choice for choice in chosen)):
        assert open_ in rita.post(path, usual(**rule)).content.decode(), rule


def test_one_click_leads_from_qrels_to_a_report_on_all_runs(rita, collection, runs, qrels, settled):
    page = rita.get(f"/collections/qrels/{settled.pk}/").content.decode()
    assert "Make a report" in page
    rita.post("/reports/usual/", {"collection": collection.pk, "qrels": settled.pk})
    assert [version["id"] for version in Report.objects.get().spec["qrels"]] == [settled.pk]


def test_qrels_of_another_collection_or_person_make_no_report(rita, client, collection, qrels, stranger):
    client.force_login(stranger)
    assert client.post("/reports/usual/", {"collection": collection.pk, "qrels": qrels.pk}).status_code == 404
    client.force_login(collection.owner)
    assert "/reports/new/" in client.post("/reports/usual/", {"collection": collection.pk, "qrels": 999})["Location"]
    assert not Report.objects.exists()


def test_further_rules_become_those_of_the_report(rita, path, usual):
    rita.post(path, usual(depth="20", judged_only="on", ties="worst"))
    spec = Report.objects.get().spec
    assert (spec["depth"], spec["judged_only"], spec["ties"]) == (20, True, "worst")


def test_qrels_of_a_study_that_one_is_no_member_of_cannot_be_chosen(client, stranger, path, settled):
    Collection.objects.update(shared=True)
    client.force_login(stranger)
    assert "No qrels to measure by" in client.get(path).content.decode()
    assert client.post(path, {"qrels": settled.pk}).status_code == 422


def test_a_stranger_finds_no_form(client, stranger, path):
    client.force_login(stranger)
    assert client.get(path).status_code == 404


def test_without_runs_or_qrels_the_page_says_what_to_do(rita, researcher, path, runs):
    assert "No qrels to measure by" in rita.get(path).content.decode()
    empty = Collection.objects.create(name="Empty", owner=researcher)
    assert "no run yet" in rita.get(f"/reports/new/?collection={empty.pk}").content.decode()


def test_one_collection_needs_no_choice_several_do(rita, researcher, path, qrels, runs):
    assert rita.get("/reports/new/")["Location"] == path
    Collection.objects.create(name="Empty", owner=researcher)
    html = rita.get("/reports/new/").content.decode()
    assert "2 runs, 1 qrels version" in html
    assert "0 runs, 0 qrels versions; import a run first" in html


@pytest.mark.parametrize("number", ["99999999999999999999", "9" * 5000, "²", "-1", "1.5", "٣", "1e3", "", "None"])
def test_a_collection_that_cannot_be_is_no_fault_of_ours(rita, collection, number):
    assert rita.get(f"/reports/new/?collection={number}").status_code in (200, 302, 404)
    assert rita.get(f"/reports/?collection={number}").status_code == 200
    assert rita.get(f"/reports/new/?collection={collection.pk}&runs={number}&qrels={number}").status_code == 200


@pytest.mark.parametrize("huge", [10**19, 10**30, "9" * 5000])
def test_an_address_far_beyond_every_report_is_not_found(rita, report, huge):
    paths = [f"/reports/{huge}/", f"/reports/{report.pk}/trec/{huge}/{huge}", f"/reports/{huge}/download/means.csv"]
    assert [rita.get(path).status_code for path in paths] == [404] * 3
    assert rita.get(f"/reports/{report.pk}/?run={huge}&qrels={huge}&page={huge}&order={huge}").status_code == 200
