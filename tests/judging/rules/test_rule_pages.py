"""Rules on their page and through the API: previewed before they are made, ended, copied, and only by who runs the study."""

from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import translation
from rest_framework.test import APIClient

from judging.models import AuditEntry, Exclusion, Outbox, Rule, Study, Worker
from judging.rules import enforcement
from judging.work import assignment
from judging.work.answers import Answer, record_judgement
from tests.world import compared, wim  # noqa: F401

pytestmark = pytest.mark.django_db
RULE = {"signal": "commonest", "threshold": 1, "least": 5, "action": "excluded"}


@pytest.fixture
def api(researcher):
    client = APIClient()
    client.force_authenticate(researcher)
    return client


@pytest.fixture
def spammer(running, make_worker):
    worker = make_worker(running)
    while slots := assignment.next_slots(worker):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=3), ahead=1)
    return worker


def address(study, name="study_rules", *more):
    return reverse(name, args=[study.pk, *more])


def test_from_the_empty_page_through_a_preview_to_the_worker_and_back(rita, running, spammer):
    page = rita.get(address(running)).content.decode()
    assert "No rules yet" in page
    for sentence, where in [
        (enforcement.rule_sentence(Rule(study=running, **suggestion)), suggestion["signal"])
        for suggestion in enforcement.SUGGESTED
    ]:
        assert sentence in page
        assert f"?signal={where}&amp;" in page
    preview = rita.get(address(running), RULE).content.decode()
    assert "100 % of 6 answers of the same grade" in preview
    assert "would be caught" in preview
    assert not Rule.objects.exists()
    assert not Exclusion.objects.exists()
    done = rita.post(address(running), RULE, follow=True).content.decode()
    assert "holds from now on" in done
    assert "Has caught nobody" in done
    message = Outbox.objects.get()
    assert (message.task, message.arguments) == ("judging.tasks.apply_rules", {"study": running.pk})
    enforcement.apply(running)
    assert (
        f'Caught <a href="{reverse("study_worker", args=[running.pk, spammer.pk])}"'
        in rita.get(address(running)).content.decode()
    )
    worker = rita.get(reverse("study_worker", args=[running.pk, spammer.pk])).content.decode()
    assert "a rule: 100 % of 6 answers" in worker
    rita.post(reverse("exclusion_lift", args=[running.pk, spammer.pk, Exclusion.objects.get().pk]))
    spammer.refresh_from_db()
    assert spammer.standing == Worker.Standing.GOOD
    assert "(taken back)" in rita.get(address(running)).content.decode()
    again = rita.get(address(running), RULE).content.decode()
    assert "would be caught" in again


def test_every_suggestion_can_be_previewed(rita, running, spammer):
    for suggestion in enforcement.SUGGESTED:
        page = rita.get(address(running), suggestion)
        assert page.status_code == 200
        assert b"Make this rule" in page.content


def test_a_suggestion_that_holds_already_is_not_made_again(rita, running, researcher):
    enforcement.make(Rule(study=running, **enforcement.SUGGESTED[0]), by=researcher)
    page = rita.get(address(running)).content.decode()
    assert [f"?signal={rule['signal']}&amp;" in page for rule in enforcement.SUGGESTED] == [False, True, True, True, True]


@pytest.mark.parametrize("change", [{"threshold": 60}, {"threshold": "nan"}, {"least": 0}, {"action": "good"}, {"signal": "x"}])
def test_what_makes_no_sense_is_said(rita, running, change):
    assert b"has-error" in rita.get(address(running), RULE | change).content
    refused = rita.post(address(running), RULE | change)
    assert (refused.status_code, Rule.objects.count()) == (422, 0)


def test_a_rule_is_ended_and_applied_on_demand(rita, running, researcher):
    rule = enforcement.make(Rule(study=running, **RULE), by=researcher)
    Outbox.objects.all().delete()
    rita.post(address(running, "rules_apply"))
    assert Outbox.objects.get().arguments == {"study": running.pk}
    page = rita.post(address(running, "rule_end", rule.pk), follow=True).content.decode()
    assert "1 ended rule" in page
    rule.refresh_from_db()
    assert rule.ended


def test_rules_are_copied_from_a_study_of_mine(rita, running, researcher, stranger):
    own = Study.objects.create(collection=running.collection, name="Before", instructions="x", created_by=researcher)
    own.members.add(researcher)
    theirs = Study.objects.create(collection=running.collection, name="Theirs", instructions="x", created_by=stranger)
    for study in (own, theirs):
        enforcement.make(Rule(study=study, **RULE), by=study.created_by)
    page = rita.get(address(running)).content.decode()
    assert "Before" in page
    assert "Theirs" not in page
    rita.post(address(running, "rules_copy"), {"source": theirs.pk})
    assert not running.rules.exists()
    rita.post(address(running, "rules_copy"), {"source": own.pk})
    assert running.rules.count() == 1


def test_rules_of_another_study_cannot_be_ended_from_here(rita, running, researcher):
    other = Study.objects.create(collection=running.collection, name="Other", instructions="x", created_by=researcher)
    rule = enforcement.make(Rule(study=other, **RULE), by=researcher)
    assert rita.post(address(running, "rule_end", rule.pk)).status_code == 404


def test_what_a_reader_of_german_does_is_kept_in_english(rita, running, spammer):
    german = {"Accept-Language": "de"}
    preview = rita.get(address(running), RULE, headers=german).content.decode()
    sentence = "Wenn mindestens 100 % von 5 oder mehr Antworten dieselbe Note haben: ausschließen"
    assert sentence in preview
    assert "100 % von 6 Antworten mit derselben Note" in preview
    rita.post(address(running), RULE, headers=german)
    assert "When at least 100 % of 5 or more answers" in AuditEntry.objects.latest("pk").about
    with translation.override("de"):
        (exclusion,) = enforcement.apply(running)
    assert exclusion.reason == "100 % of 6 answers of the same grade"
    page = rita.get(address(running), headers=german).content.decode()
    assert sentence in page
    assert 'title="100 % von 6 Antworten mit derselben Note"' in page
    worker = rita.get(address(running, "study_worker", spammer.pk), headers=german).content.decode()
    assert ": 100 % von 6 Antworten mit derselben Note" in worker


def test_the_page_costs_as_many_queries_with_many_rules(rita, running, researcher, spammer, django_assert_max_num_queries):
    for threshold in range(1, 9):
        enforcement.make(Rule(study=running, **RULE | {"threshold": threshold / 10, "action": "warned"}), by=researcher)
    enforcement.apply(running)
    with django_assert_max_num_queries(12):
        rita.get(address(running))


def test_through_the_api(api, running, spammer):
    rules = f"/api/v1/studies/{running.pk}/rules/"
    preview = api.post(f"{rules}preview/", RULE, format="json").json()
    assert [row["worker"] for row in preview["caught"]] == [spammer.pk]
    assert (preview["votes"], preview["ordered"], preview["already"]) == (6, 6, [])
    made = api.post(rules, RULE, format="json")
    assert (made.status_code, made.json()["says"]) == (
        201,
        "When at least 100 % of 5 or more answers have the same grade: exclude",
    )
    assert api.post(f"{rules}apply/").status_code == 202
    enforcement.apply(running)
    (listed,) = api.get(rules).json()["results"]
    assert [row["worker"] for row in listed["acted"]] == [spammer.pk]
    ended = api.post(f"{rules}{listed['id']}/end/").json()
    assert ended["ended"]


@pytest.mark.parametrize(
    "change", [{"threshold": 60}, {"threshold": "nan"}, {"least": 0}, {"action": "good"}, {"signal": "twin"}]
)
def test_the_api_says_what_makes_no_sense(api, running, change):
    refused = api.post(f"/api/v1/studies/{running.pk}/rules/", RULE | change, format="json")
    assert refused.status_code == 400
    assert set(refused.json()) <= {"threshold", "least", "action"}


def test_strangers_find_nothing(running, stranger):
    client = APIClient()
    client.force_authenticate(stranger)
    assert client.get(f"/api/v1/studies/{running.pk}/rules/").status_code == 404
    assert client.post(f"/api/v1/studies/{running.pk}/rules/", RULE, format="json").status_code == 404


def test_a_side_by_side_study_is_offered_what_it_can_look_at(rita, compared, running, researcher):  # noqa: F811
    page = rita.get(f"/studies/{compared['compared']}/rules/").content.decode()
    assert "Share of gold that is right" in page and "ttention" not in page and "Median seconds per judgement" in page
    attention = {"signal": "attention", "threshold": 2, "least": 2, "action": "excluded"}
    refused = rita.post(f"/api/v1/studies/{compared['compared']}/rules/", attention, content_type="application/json")
    assert (refused.status_code, list(refused.json())) == (400, ["signal"])
    for suggestion in enforcement.SUGGESTED:
        enforcement.make(Rule(study=running, **suggestion), by=researcher)
    copied = Study.objects.get(pk=compared["compared"])
    assert enforcement.copy(running, copied, by=researcher) == 4
    assert set(copied.rules.values_list("signal", flat=True)) == {"gold", "seconds", "run", "twin"}
