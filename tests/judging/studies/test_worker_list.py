"""The list of a study's workers, and one thing done to several of them."""

from decimal import Decimal
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import AuditEntry, Bonus, Enquiry, Exclusion, Study, Worker
from judging.pay import bonuses
from judging.views import workers as pages
from judging.work import enquiries, exclusions
from judging.work.answers import Answer, record_judgement
from tests import conftest, sharing

db = sharing.db
researcher, collection, runs, study, running = map(
    sharing.once, (conftest.researcher, conftest.collection, conftest.runs, conftest.study, conftest.running)
)
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("crowd")]
REASON = {"standing": "excluded", "reason": "too fast"}


@sharing.once
def crowd(running):
    """Four people, of whom two judged, and a program."""
    Study.objects.filter(pk=running.pk).update(pay_a_judgement=Decimal("0.1"))
    people = [Worker.objects.create(study=running, simulated=n == 3) for n in range(4)]
    for worker, count in zip(people, (3, 2), strict=False):
        for item in running.items.order_by("position")[:count]:
            record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1, milliseconds=5000))
    return [*people, Worker.objects.create(study=running, machine="Oracle 3")]


@pytest.fixture
def address(running):
    return reverse("study_workers", args=[running.pk])


@pytest.fixture
def act(rita, running):
    """Do something to workers: the page in between, or with confirmed=1 the list once it is done."""
    url = reverse("workers_act", args=[running.pk])

    def send(action, rows=(), query="", **fields):
        return rita.post(f"{url}{query}", {"action": action, "row": [row.pk for row in rows], **fields}, follow=True)

    return send


def text(answer):
    return answer.content.decode()


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ({"sort": "worker"}, [0, 1, 2, 3, 4]),
        ({"sort": "-answers"}, [0, 1, 4, 3, 2]),
        ({"kind": "simulated"}, [3]),
        ({"kind": "programs"}, [4]),
        ({"kind": "people", "sort": "worker"}, [0, 1, 2]),
        ({"least": "3"}, [0]),
        ({"least": "few", "sort": "worker"}, [0, 1, 2, 3, 4]),
        ({"standing": "excluded"}, []),
    ],
)
def test_workers_are_narrowed_down_and_sorted(rita, crowd, address, query, places):
    assert [worker for worker, _ in rita.get(address, query).context["rows"]] == [crowd[place] for place in places]


def test_a_worker_is_found_by_number(rita, crowd, address):
    assert [worker for worker, _ in rita.get(address, {"q": f"w{crowd[1].pk}"}).context["rows"]] == [crowd[1]]
    assert "No workers like this" in text(rita.get(address, {"q": "somebody"}))


def test_the_page_in_between_says_what_happens_to_how_many_and_changes_nothing(crowd, act):
    exclusions.exclude(crowd[0], reason="spam")
    page = text(act("exclude", crowd[:3]))
    assert "Exclude: 2 workers" in page and f"{crowd[1]}, {crowd[2]}." in page
    assert "1 of those you chose is left out: each is excluded already" in page
    assert Exclusion.objects.count() == 1


def test_several_are_excluded_and_let_back_in(crowd, act, researcher):
    page = text(act("exclude", crowd[:2], confirmed="1", **REASON))
    assert "2 workers excluded. “Let back in” takes it back." in page
    assert set(Worker.objects.filter(standing="excluded")) == set(crowd[:2])
    assert {exclusion.by for exclusion in Exclusion.objects.all()} == {researcher}
    assert AuditEntry.objects.filter(deed="excluded").count() == 2
    assert "2 workers let back in" in text(act("back", crowd, confirmed="1"))
    assert not Worker.objects.exclude(standing="good").exists()
    assert "1 worker blocked. " in text(act("exclude", crowd[:1], confirmed="1", **REASON | {"standing": "blocked"}))


def test_all_that_match_are_those_of_the_list_as_it_is_narrowed_down(crowd, act):
    page = text(act("exclude", query="?kind=people", all="1"))
    assert "Exclude: 3 workers" in page
    act("exclude", query="?kind=people", all="1", confirmed="1", **REASON)
    assert set(Worker.objects.filter(standing="excluded")) == set(crowd[:3])


def test_what_was_named_in_between_is_what_is_done(crowd, act):
    """Whoever comes meanwhile matches, too, but nobody has said so."""
    page = act("exclude", query="?kind=people", all="1")
    Worker.objects.create(study=crowd[0].study)
    act("exclude", query="?kind=people", keys=page.context["keys"], confirmed="1", **REASON)
    assert set(Worker.objects.filter(standing="excluded")) == set(crowd[:3])


def test_all_are_excluded_or_nobody(crowd, act, rita, monkeypatch):
    real, calls = exclusions.exclude, []

    def failing(worker, **asked):
        calls.append(worker)
        if len(calls) == 2:
            raise ZeroDivisionError
        return real(worker, **asked)

    monkeypatch.setattr(exclusions, "exclude", failing)
    rita.raise_request_exception = False
    assert act("exclude", crowd[:3], confirmed="1", **REASON).status_code == 500
    assert not Exclusion.objects.exists() and not AuditEntry.objects.filter(deed="excluded").exists()


def test_a_bonus_is_given_once_to_those_who_are_paid(crowd, act, researcher):
    sent = {"amount": "0.50", "reason": "careful notes", "after": "0", "confirmed": "1"}
    page = text(act("bonus", [crowd[0], crowd[1], crowd[4]], **sent))
    assert "Given: 1.00 EUR in all, to 2 workers" in page
    assert "It was not given again" in text(act("bonus", crowd[:2], **sent))
    assert sorted(Bonus.objects.values_list("worker", flat=True)) == [crowd[0].pk, crowd[1].pk]


def test_a_bonus_is_not_offered_where_nobody_is_paid(crowd, rita, act, address):
    assert "Pay a bonus" in text(rita.get(address))
    Study.objects.update(pay_a_judgement=0)
    assert "Pay a bonus" not in text(rita.get(address))
    assert act("bonus", crowd[:1]).status_code == 404


def test_a_message_is_sent_once(crowd, act, researcher):
    act("message", crowd[:2], text="Thank you <b>all</b>.", after="0", confirmed="1")
    assert Enquiry.objects.filter(text="", reply="Thank you <b>all</b>.", replied_by=researcher).count() == 2
    assert "was not sent again" in text(act("message", crowd[:2], text="Thank you <b>all</b>.", after="0", confirmed="1"))
    assert Enquiry.objects.count() == 2
    assert AuditEntry.objects.get(deed="written").about == f"to {crowd[0]}, {crowd[1]}"


def test_a_program_reads_no_messages(crowd, act, researcher):
    assert "Each of them is a machine judge" in text(act("message", crowd[4:]))
    with pytest.raises(enquiries.Impossible):
        enquiries.write(crowd[4].study, crowd[4:], text="Hello", by=researcher)
    with pytest.raises(bonuses.NoBonus):
        bonuses.give(crowd[4].study, crowd[4:], amount=Decimal(1), reason="x", by=researcher)


@pytest.mark.parametrize(
    ("action", "sent"),
    [
        ("exclude", {"standing": "excluded", "reason": " "}),
        ("exclude", {"standing": "good", "reason": "x"}),
        ("bonus", {"amount": "0", "reason": "x"}),
        ("message", {"text": ""}),
    ],
)
def test_what_is_missing_is_asked_for_and_nothing_is_done(crowd, act, action, sent):
    answer = act(action, crowd[:2], confirmed="1", **sent)
    assert answer.status_code == 422 and "has-error" in text(answer)
    assert not (Exclusion.objects.exists() or Bonus.objects.exists() or Enquiry.objects.exists())


def test_nobody_ticked_nothing_done(act):
    assert "Tick workers first, or choose all that match" in text(act("exclude"))


def test_no_more_than_a_request_can_do(crowd, act, monkeypatch):
    tight = next(action for action in pages.ACTIONS if action.name == "exclude")
    monkeypatch.setattr(pages, "ACTIONS", [type(tight)(**{**vars(tight), "most": 2})])
    assert "These are 3 workers; at most 2 go at once" in text(act("exclude", crowd[:3]))


@pytest.mark.parametrize("keys", ["x", "9" * 30, "-1", "\0", "1,,2"])
def test_odd_keys_are_nobody(act, keys):
    assert act("back", keys=keys, confirmed="1").status_code == 200


def test_workers_of_another_study_are_not_touched(crowd, act, researcher, collection):
    other = Worker.objects.create(
        study=Study.objects.create(collection=collection, name="Other", instructions="x", created_by=researcher)
    )
    assert "Tick workers first" not in text(act("exclude", [other], confirmed="1", **REASON))
    other.refresh_from_db()
    assert other.standing == "good"


def test_an_action_that_there_is_not(act, crowd):
    assert act("delete", crowd).status_code == 404


def test_another_researcher_does_nothing(client, stranger, running, crowd):
    client.force_login(stranger)
    url = reverse("workers_act", args=[running.pk])
    assert client.post(url, {"action": "exclude", "row": crowd[0].pk, "confirmed": "1", **REASON}).status_code == 404
    assert not Exclusion.objects.exists()
