"""Pay on every page that says it: the form, the plan, what workers read, what it has cost, bonuses and files."""

import csv
import io
from decimal import Decimal
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import Arrival, Bonus, Study, Worker
from judging.pay import bonuses
from judging.recruiting import arrivals, channels, invites
from judging.recruiting.arrivals import Claim
from judging.studies import launch
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from tests.judging.studies.test_study_pages import form
from tests.judging.text.test_languages import ENGLISH, ITALIAN, LANGUAGES, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(running):
    Study.objects.update(pay_a_judgement=Decimal("0.10"), seconds_a_judgement=30)  # 12 an hour
    running.refresh_from_db()
    return running


def judge(worker, *, seconds, count=1):
    for _ in range(count):
        item = next_slots(worker)[0].item
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1, milliseconds=int(seconds * 1000)))


def page_of(client, study, query=""):
    return client.get(reverse("study_pay", args=[study.pk]) + query).content.decode()


# The form


def saved(rita, study, **fields):
    response = rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study, **fields))
    return Study.objects.filter(name="Second study").first(), response


@pytest.mark.parametrize(
    ("fields", "rates"),
    [
        ({"paid": "judgement", "pay_a_judgement": "0.06", "pay_an_hour": "12"}, ("0.06", "0", "0")),
        ({"paid": "hour", "pay_a_judgement": "0.06", "pay_an_hour": "12", "pay_screened_out": "0.2"}, ("0", "12", "0.2")),
        ({"paid": "no", "pay_a_judgement": "0.06", "pay_an_hour": "12", "pay_screened_out": "0.2"}, ("0", "0", "0")),
        ({"paid": "no", "pay_a_judgement": "nonsense"}, ("0", "0", "0")),
        ({"pay_an_hour": "12"}, ("0", "12", "0")),
    ],
)
def test_the_way_that_is_chosen_counts(rita, study, fields, rates):
    draft, _ = saved(rita, study, **fields)
    assert (draft.pay_a_judgement, draft.pay_an_hour, draft.pay_screened_out) == tuple(map(Decimal, rates))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"paid": "judgement"}, "Say how much"),
        ({"paid": "hour", "pay_an_hour": "0"}, "Say how much"),
        ({"pay_an_hour": "12", "pay_a_judgement": "0.06"}, "by the hour or by the judgement, not both"),
        ({"paid": "judgement", "pay_a_judgement": "0.00001"}, "no more than 4 decimal places"),
        ({"paid": "barter"}, "not one of the available choices"),
    ],
)
def test_a_form_that_does_not_say_how_much_is_not_saved(rita, study, fields, why):
    draft, response = saved(rita, study, **fields)
    assert draft is None
    assert why in text(response)


def test_what_was_chosen_is_shown_again(rita, study):
    Study.objects.update(pay_a_judgement=Decimal("0.06"), least_seconds=3.5)
    page = rita.get(reverse("study_edit", args=[study.pk])).content.decode()
    assert 'name="paid" value="judgement"' in page
    assert 'name="least_seconds" value="3.5"' in page


# The plan, and what if


def test_the_plan_says_pay_both_ways(rita, study):
    Study.objects.update(pay_a_judgement=Decimal("0.06"))
    page = rita.get(reverse("study_launch", args=[study.pk])).content.decode()
    assert "0.72 EUR</span>" in page  # 12 judgements
    assert "0.06 EUR each, about 8.64 EUR an hour at 25 s" in page


def test_other_settings_are_tried_by_address_and_change_nothing(rita, study):
    before = Study.objects.values().get()
    address = reverse("study_launch", args=[study.pk])
    query = "?depth=1&overlap=3&paid=judgement&pay_a_judgement=0.5&gold_every=4"
    page = rita.get(address + query).content.decode()
    # One deep: d1 and d2, d3 and d4; three workers each; one answer in four is gold.
    assert '<span class="value">12</span> 3 workers each' in page
    assert '<span class="value">4</span> more answers' in page
    assert "8.00 EUR</span>" in page
    assert "Other settings than the draft’s" in page
    assert "Launch: order" not in page
    assert Study.objects.values().get() == before
    assert 'name="overlap" value="3"' in rita.get(reverse("study_edit", args=[study.pk]) + query).content.decode()
    assert "Launch: order 12 judgements" in rita.get(address).content.decode()


@pytest.mark.parametrize(
    "query", ["?depth=0", "?overlap=x", "?overlap=5&most_overlap=2", "?paid=hour", "?depth=9999999999999999"]
)
def test_settings_that_make_no_sense_say_so_beside_the_drafts_own(rita, study, query):
    page = rita.get(reverse("study_launch", args=[study.pk]) + query).content.decode()
    assert "please put this right" in page
    assert "Launch: order 12 judgements" in page


def test_launching_takes_the_draft_whatever_the_address_says(rita, study):
    rita.post(reverse("study_launch", args=[study.pk]) + "?overlap=5")
    study.refresh_from_db()
    assert (study.state, study.overlap, study.slots.count()) == ("running", 2, 12)


# What workers read


@pytest.fixture
def joined(client, paid, researcher):
    client.get(reverse("follow_invite", args=[invites.token_of(invites.invite(paid, by=researcher))]))
    return client


@LANGUAGES
def test_consent_says_pay_in_both_ways(joined, headers):
    Study.objects.update(pay_screened_out=Decimal("0.5"))
    page = text(joined.get(reverse("join"), headers=headers))
    if headers is ENGLISH:
        assert "Pay: 0.10 EUR a document, about 12.00 EUR an hour at 30 seconds each." in page
        assert "you get 0.50 EUR for your time instead" in page
    else:
        assert "Compenso: 0.10 EUR a documento, circa 12.00 EUR all’ora con 30 secondi ciascuno." in page
        assert "ricevi invece 0.50 EUR per il tuo tempo" in page


@LANGUAGES
def test_workers_see_what_they_have_earned(joined, paid, researcher, headers):
    joined.post(reverse("join"), {"agree": "1"})
    worker = Worker.objects.get()
    judge(worker, seconds=20, count=2)
    bonuses.give(paid, [worker], amount=Decimal("1.5"), reason="careful notes", by=researcher)
    amounts = ["0.20 EUR", "0.7 min", "153.00 EUR", "1.50 EUR"] if headers is ENGLISH else ["0.20 EUR", "0.7 min", "1.50 EUR"]
    for name in ("my_work", "answers", "leave"):
        page = text(joined.get(reverse(name, args=[paid.pk]), headers=headers))
        for amount in amounts:
            assert amount in page, (name, amount)
    page = text(joined.get(reverse("my_work", args=[paid.pk]), headers=headers))
    assert "careful notes" in page
    assert ("At most <strong>4</strong>" if headers is ENGLISH else "Ti restano al massimo <strong>4</strong>") in page


def test_volunteers_see_their_time_and_no_pay(joined, paid):
    Study.objects.update(pay_a_judgement=0)
    joined.post(reverse("join"), {"agree": "1"})
    judge(Worker.objects.get(), seconds=30)
    page = text(joined.get(reverse("my_work", args=[paid.pk]), headers=ENGLISH))
    assert "0.5 min" in page
    assert "Earned" not in page and "EUR" not in page


def test_my_work_is_for_workers(client, paid):
    assert client.get(reverse("my_work", args=[paid.pk])).status_code == 404


def test_a_worker_who_judges_costs_one_query_more_for_being_paid(joined, paid, django_assert_max_num_queries):
    joined.post(reverse("join"), {"agree": "1"})
    joined.get(reverse("judge", args=[paid.pk]))  # claims what the next page shows
    with django_assert_max_num_queries(3):
        joined.get(reverse("judge", args=[paid.pk]))
    judge(Worker.objects.get(), seconds=3, count=3)
    with django_assert_max_num_queries(11):
        joined.get(reverse("my_work", args=[paid.pk]))


# What it has cost


def test_a_draft_has_no_cost_yet(rita, study):
    assert "Launch the study first" in page_of(rita, study)


def test_where_nobody_is_paid_the_page_shows_times_only(rita, running, make_worker):
    judge(make_worker(running), seconds=36)
    page = page_of(rita, running)
    assert "Nobody is paid in this study" in page
    assert "36.0 s</span>" in page
    assert "EUR" not in page and "Give a bonus" not in page


def test_cost_so_far_and_at_completion(rita, paid, make_worker):
    worker = make_worker(paid)
    judge(worker, seconds=20, count=3)
    page = page_of(rita, paid)
    assert '<span class="value">0.30 EUR</span> 3 of 12 judgements' in page
    assert '<span class="value">1.20 EUR</span> planned: 1.20' in page
    assert '<span class="value">18.00 EUR</span> median of 1 worker; promised: 12.00' in page
    assert "less than they were promised" not in page
    assert "20.0 s</span> on average, 30 s expected" in page


def test_a_warning_where_workers_get_less_than_promised(rita, paid, make_worker):
    judge(make_worker(paid), seconds=60)
    page = page_of(rita, paid)
    assert "Workers get less than they were promised" in page
    assert "is 6.00 EUR an hour; they were told about 12.00" in page


def give(rita, study, to, **fields):
    wanted = {"workers": [worker.pk for worker in to], "amount": "1.50", "reason": "careful notes", "after": "0"} | fields
    return rita.post(reverse("bonus_give", args=[study.pk]), wanted, follow=True)


def test_a_bonus_is_given_and_withdrawn(rita, paid, make_worker):
    workers = [make_worker(paid) for _ in range(3)]
    page = text(give(rita, paid, workers[:2]))
    assert "Given: 1.50 EUR to 2 workers." in page
    assert '<span class="value">3.00 EUR</span></dd></div><div><dt>Screened out' in page
    assert "a moment ago" in text(give(rita, paid, workers[:2]))
    first = Bonus.objects.first()
    page = text(rita.post(reverse("bonus_withdraw", args=[paid.pk, first.pk]), follow=True))
    assert "Withdrawn: 1.50 EUR" in page
    assert "withdrawn 20" in page
    assert Bonus.objects.count() == 2


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"amount": "0"}, "greater than or equal to 0.01"),
        ({"amount": "1.555"}, "no more than 2 decimal places"),
        ({"amount": "NaN"}, "Enter a number"),
        ({"reason": ""}, "This field is required"),
        ({"workers": []}, "Tick the workers who get it"),
        ({"workers": ["x"]}, "is not a valid value"),
        ({"after": "x"}, "Enter a whole number"),
    ],
)
def test_a_bonus_that_makes_no_sense_is_not_given(rita, paid, make_worker, fields, why):
    response = give(rita, paid, [make_worker(paid)], **fields)
    assert response.status_code == 422
    assert why in text(response)
    assert not Bonus.objects.exists()


def test_workers_of_other_studies_and_other_peoples_studies(rita, client, stranger, paid, make_worker):
    other = Study.objects.create(collection=paid.collection, name="Other", created_by=stranger, instructions="x")
    outsider = make_worker(other)
    assert give(rita, paid, [outsider]).status_code == 422
    worker = make_worker(paid)
    give(rita, paid, [worker])
    client.force_login(stranger)
    for address in ("study_pay", "earned_file", "bonus_file"):
        assert client.get(reverse(address, args=[paid.pk])).status_code == 404
    assert client.post(reverse("bonus_withdraw", args=[paid.pk, Bonus.objects.get().pk])).status_code == 404
    assert Bonus.objects.get().withdrawn is None


def test_the_table_is_sorted_by_what_the_address_says(rita, paid, make_worker):
    workers = [make_worker(paid) for _ in range(3)]
    for worker, seconds in zip(workers, (40, 20, 60), strict=True):
        judge(worker, seconds=seconds)

    def order(sort):
        _, page = page_of(rita, paid, f"?sort={sort}").split("<tbody", 1)
        return sorted(range(3), key=lambda at: page.index(f'value="{workers[at].pk}"'))

    assert order("hour") == [2, 0, 1]
    assert order("-hour") == [1, 0, 2]
    assert order("nonsense") == order("-nonsense") == order("worker") == [0, 1, 2]
    assert order("-worker") == [2, 1, 0]
    Bonus.objects.create(worker=workers[1], amount="5", reason="x", by=paid.created_by)
    assert order("-total")[0] == 1


@pytest.mark.parametrize("sort", ["hour", "-hour"])
def test_who_has_no_hourly_rate_comes_last(rita, paid, make_worker, sort):
    idle, worker = make_worker(paid), make_worker(paid)
    judge(worker, seconds=40)
    _, page = page_of(rita, paid, f"?sort={sort}").split("<tbody", 1)
    assert page.index(f'value="{worker.pk}"') < page.index(f'value="{idle.pk}"')


# Files


@pytest.fixture
def participants(paid, researcher):
    """Five of Prolific: completed, screened out, returned, rejected, still at work; one erased; and one of Connect."""
    prolific = channels.add_channel(paid, by=researcher, source="prolific")
    people = [arrivals.consent(prolific, Claim(f"p{n}", f"s{n}")) for n in range(6)]
    for arrival, outcome in zip(
        people, ["completed", "screened_out", "returned", "rejected", "working", "completed"], strict=True
    ):
        for item in paid.items.all()[:2]:  # surplus from the third on, which is paid as well
            record_judgement(worker=arrival.worker, item=item, answer=Answer(key=uuid4(), grade=1))
        ended = None if outcome == "working" else "2026-01-01T00:00Z"
        Arrival.objects.filter(pk=arrival.pk).update(outcome=outcome, ended=ended)
    arrivals.erase(people[5])
    connect = channels.add_channel(paid, by=researcher, source="connect")
    people.append(arrivals.consent(connect, Claim("c1", "a1")))
    return people


def bonus_file(client, study, **query):
    return client.get(reverse("bonus_file", args=[study.pk]), query)


def test_prolifics_file_of_bonuses_is_lines_of_participant_and_amount(rita, paid, participants, researcher):
    workers = [participant.worker for participant in participants]
    bonuses.give(paid, workers, amount=Decimal("1.5"), reason="x", by=researcher)
    withdrawn = bonuses.give(paid, workers[:1], amount=Decimal(9), reason="x", by=researcher)
    bonuses.withdraw(withdrawn[0], by=researcher)
    bonuses.give(paid, workers[1:2], amount=Decimal("0.25"), reason="x", by=researcher)
    response = bonus_file(rita, paid, source="prolific", what="bonuses")
    assert text(response).splitlines() == ["p0,1.50", "p1,1.75", "p2,1.50", "p3,1.50", "p4,1.50"]
    assert 'filename="bird-study-prolific-bonuses.csv"' in response["Content-Disposition"]
    assert text(bonus_file(rita, paid, source="connect", what="bonuses")).splitlines() == [
        "participantId,assignmentId,amount,message",
        "c1,a1,1.50,Thank you for your work.",
    ]
    Bonus.objects.update(created="2026-01-01T12:00Z")
    assert text(bonus_file(rita, paid, source="prolific", what="bonuses", since="2026-01-02")) == ""
    assert len(text(bonus_file(rita, paid, source="prolific", what="bonuses", since="2026-01-01")).splitlines()) == 5


def test_everything_earned_less_what_the_marketplace_pays(rita, paid, participants, researcher):
    bonuses.give(paid, [participants[1].worker], amount=Decimal("0.40"), reason="x", by=researcher)
    file = bonus_file(rita, paid, source="prolific", what="everything", reward="0.15")
    # 0.20 each: less the reward; screened out there, but for the bonus; returned; rejected and at work get nothing.
    assert text(file).splitlines() == ["p0,0.05", "p1,0.40", "p2,0.20"]
    assert text(bonus_file(rita, paid, source="prolific", what="everything", reward="5")).splitlines() == ["p1,0.40", "p2,0.20"]


def test_whoever_completed_two_submissions_was_rewarded_twice(rita, paid, participants):
    channel, first = participants[0].channel, participants[0]
    again = arrivals.consent(channel, Claim(first.participant, "another"), here=first.worker)
    assert (again.outcome, again.rewarded) == ("working", 1)
    Arrival.objects.filter(pk=first.pk).update(outcome="completed", ended="2026-01-01T12:00Z")
    assert "p0,0.10" in text(bonus_file(rita, paid, source="prolific", what="everything", reward="0.05")).splitlines()


@pytest.mark.parametrize("query", [{}, {"source": "mturk", "what": "bonuses"}, {"source": "prolific", "what": "x"}])
def test_a_file_that_nobody_makes(rita, paid, participants, query):
    assert bonus_file(rita, paid, **query).status_code == 422


def test_files_with_ids_are_for_members(client, admin, paid, participants):
    client.force_login(admin)
    assert bonus_file(client, paid, source="prolific", what="bonuses").status_code == 404
    page = page_of(client, paid)
    assert "Only those who run the study see" in page
    assert client.get(reverse("earned_file", args=[paid.pk])).status_code == 200


def test_the_file_of_participants_has_amounts(rita, paid, participants):
    rows = list(csv.DictReader(io.StringIO(text(rita.get(reverse("arrivals_file", args=[paid.pk]))))))
    assert [(row["participant_id"], row["amount"], row["currency"]) for row in rows][:4] == [
        ("p0", "0.20", "EUR"), ("p1", "0.20", "EUR"), ("p2", "0.20", "EUR"), ("p3", "0.00", "EUR"),
    ]  # fmt: skip


def test_a_launched_study_says_what_it_promised(rita, paid):
    assert "0.10 EUR each, about 12.00 EUR an hour at 30 s" in rita.get(reverse("study", args=[paid.pk])).content.decode()
    launch.close(paid)
    assert "Cost so far" in page_of(rita, paid)


def test_the_open_call_says_pay_by_the_judgement(rita, paid):
    Study.objects.update(open_call=True)
    page = text(rita.get(reverse("open_call"), headers=ENGLISH))
    assert "0.10 EUR</span> a document, about 12.00 EUR an hour" in page
    assert "0.10 EUR</span> a documento, circa 12.00 EUR all’ora" in text(rita.get(reverse("open_call"), headers=ITALIAN))
