"""How much one request may ask for: more is answered 400 before it costs anything, and says how much is accepted."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.fixture
def question(collection, runs):
    return {"collection": collection.pk, "runs": [run.pk for run in runs], "qrels": [], "measures": ["AP"]}


def post(client, address, sent):
    return client.post(f"/api/v1/{address}/", sent, content_type="application/json")


def test_many_runs_are_found_by_one_query_and_the_same_run_counts_once(
    rita, question, runs, study, django_assert_max_num_queries
):
    with django_assert_max_num_queries(20):
        answer = rita.patch(f"/api/v1/studies/{study.pk}/", {"runs": [runs[0].pk] * 1000}, content_type="application/json")
    assert answer.status_code == 200
    assert answer.json()["runs"] == [runs[0].pk]


def test_more_runs_than_anybody_compares_are_refused_at_once(rita, question, runs, django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        refused = post(rita, "reports", {**question, "runs": [runs[0].pk] * 5000})
    assert refused.status_code == 400
    assert refused.json()["runs"] == ["These are 5,000; at most 1,000 are accepted at a time."]


@pytest.mark.parametrize("key", [999_999, -1, "no", None, True, 2**70, [1], {}])
def test_one_that_does_not_exist_is_named_among_many(rita, question, runs, key):
    refused = post(rita, "reports", {**question, "runs": [runs[0].pk, key]})
    assert refused.status_code == 400
    assert "runs" in refused.json()


def test_ids_may_be_written_as_text(rita, study, runs):
    answer = rita.patch(f"/api/v1/studies/{study.pk}/", {"runs": [str(runs[1].pk)]}, content_type="application/json")
    assert answer.json()["runs"] == [runs[1].pk]


def test_measures_are_counted(rita, question):
    refused = post(rita, "reports", {**question, "measures": [f"P@{cut}" for cut in range(1, 100)]})
    assert refused.status_code == 400
    assert "no more than 60" in str(refused.json()["measures"])


def test_members_are_counted_and_each_is_one(rita, study, researcher):
    address = f"/api/v1/studies/{study.pk}/"
    refused = rita.patch(address, {"members": ["rita"] * 101}, content_type="application/json")
    assert refused.json()["members"] == ["These are 101; at most 100 are accepted at a time."]
    assert rita.patch(address, {"members": ["rita"] * 100}, content_type="application/json").json()["members"] == ["rita"]


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ({"scale": [{}] * 100_000}, "A list has 100,000 entries; at most 10,000 are accepted."),
        ({"scale": [[0] * 9_000] * 12}, "more than 100,000 values"),
        ({"scale": {"a": [1] * 10_001}}, "A list has 10,001 entries"),
    ],
)
def test_lists_have_an_end_whatever_they_are_about(rita, study, sent, says):
    refused = rita.patch(f"/api/v1/studies/{study.pk}/", sent, content_type="application/json")
    assert refused.status_code == 400
    assert says in refused.json()["detail"]


def test_grades_of_a_scale_are_counted_before_they_are_looked_at(rita, study):
    refused = rita.patch(f"/api/v1/studies/{study.pk}/", {"scale": [{}] * 10_000}, content_type="application/json")
    assert refused.json() == {"scale": ["Ensure this field has no more than 11 elements."]}


def test_arms_are_counted_before_they_are_looked_at(rita, researcher, runs, django_assert_max_num_queries):
    from judging.models import Site

    site = Site.objects.create(name="Shop", slug="shop", owner=researcher)
    with django_assert_max_num_queries(10):
        refused = post(rita, "experiments", {"site": site.pk, "name": "x", "arms": [{"name": "a", "run": runs[0].pk}] * 1000})
    assert refused.status_code == 400
    assert "no more than 10" in str(refused.json()["arms"])


def test_segments_of_an_experiment_are_counted(rita, researcher):
    from judging.models import Site

    site = Site.objects.create(name="Shop", slug="shop", owner=researcher)
    refused = post(rita, "experiments", {"site": site.pk, "name": "x", "segments": ["country"] * 11})
    assert "no more than 10" in str(refused.json()["segments"])
