"""What workers earn: worked by hand, and laws that hold whatever they did."""

import random
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from judging.models import Arrival, Bonus, Item, Judgement, Study, Worker
from judging.pay import bonuses, earnings
from judging.pay.forecast import forecast
from judging.pay.rates import a_judgement, an_hour, cost_of, to_cents, with_gold, worth
from judging.pay.wages import wage
from judging.recruiting import channels, invites
from judging.recruiting.arrivals import Claim, consent
from judging.work import exclusions
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from judging.work.checks import designate


def paid(study: Study, **pay) -> Study:
    for name, value in pay.items():
        setattr(study, name, Decimal(str(value)) if name.startswith("pay") else value)
    study.save()
    return study


def joined_yesterday(*workers: Worker) -> None:
    """Time that is paid has to have passed."""
    Worker.objects.filter(pk__in=[worker.pk for worker in workers]).update(consented=timezone.now() - timedelta(days=1))


def judge(worker: Worker, *, seconds: float, grade: int = 1, key=None) -> Judgement:
    joined_yesterday(worker)
    slot = next_slots(worker)[0]
    answer = Answer(key=key or uuid4(), grade=grade, milliseconds=int(seconds * 1000))
    return record_judgement(worker=worker, item=slot.item, answer=answer)


def of(worker: Worker) -> earnings.Earned:
    return earnings.earned_of(Worker.objects.select_related("study").get(pk=worker.pk))


# Both ways of saying it


def test_by_the_judgement_told_by_the_hour_and_the_other_way_round():
    each = Study(pay_a_judgement=Decimal("0.06"), seconds_a_judgement=25)
    assert (a_judgement(each), an_hour(each)) == (Decimal("0.06"), Decimal("8.64"))
    hourly = Study(pay_an_hour=Decimal(12), seconds_a_judgement=25)
    assert (a_judgement(hourly), an_hour(hourly)) == (Decimal("0.0833"), Decimal("12.00"))
    assert cost_of(each, 1000) == Decimal("60.00")
    assert cost_of(hourly, 1000) == Decimal("83.33")  # not 83.30: the rate is not rounded before


@pytest.mark.parametrize(("every", "answers"), [(0, 90), (10, 100), (2, 180), (1, 180), (100, 91)])
def test_one_in_so_many_answers_goes_to_gold(every, answers):
    assert with_gold(Study(gold_every=every), 90) == answers


@given(
    rate=st.decimals("0", "10", places=4),
    answers=st.integers(0, 10**6),
    more=st.integers(0, 10**6),
    seconds=st.integers(0, 10**6),
)
def test_pay_grows_with_work_and_is_paid_in_one_way(rate, answers, more, seconds):
    each, hourly = Study(pay_a_judgement=rate), Study(pay_an_hour=rate)
    assert worth(each, answers=answers, seconds=Decimal(seconds)) == rate * answers
    assert worth(each, answers=answers + more, seconds=Decimal(0)) >= worth(each, answers=answers, seconds=Decimal(seconds))
    assert worth(hourly, answers=more, seconds=Decimal(seconds)) == worth(hourly, answers=0, seconds=Decimal(seconds))
    assert abs(to_cents(rate * answers) - rate * answers) <= Decimal("0.005")


# Worked by hand


@pytest.mark.django_db
def test_by_the_judgement(running, make_worker):
    worker = make_worker(paid(running, pay_a_judgement="0.125"))
    for seconds in (10, 20, 15):
        judge(worker, seconds=seconds)
    earned = of(worker)
    assert (earned.judged, earned.milliseconds) == (3, 45_000)
    assert earned.pay == Decimal("0.38")  # 0.375, rounded once: three times 0.13 would be 0.39
    assert earned.an_hour == Decimal("30.00")  # 0.375 in 45 seconds


@pytest.mark.django_db
def test_by_the_hour_a_page_left_open_does_not_earn(running, make_worker):
    worker = make_worker(paid(running, pay_an_hour=12, seconds_a_judgement=20, lease_minutes=30))
    for seconds in (40, 3600):  # of which 100 count, five times as long as expected
        judge(worker, seconds=seconds)
    earned = of(worker)
    assert (earned.milliseconds, earned.idle) == (140_000, 3_500_000)
    assert earned.pay == Decimal("0.47")  # 12 × 140 / 3600 = 0.4667
    assert earned.an_hour == Decimal("12.00")


def test_the_lease_limits_what_counts_where_it_is_shorter():
    assert earnings.most_seconds(Study(seconds_a_judgement=25, lease_minutes=30)) == 125
    assert earnings.most_seconds(Study(seconds_a_judgement=25, lease_minutes=1)) == 60


@pytest.mark.django_db
def test_nothing_is_paid_twice(running, make_worker):
    worker, key = make_worker(paid(running, pay_a_judgement=1)), uuid4()
    first = judge(worker, seconds=5, key=key)
    before = of(worker)
    again = Answer(key=key, grade=1, milliseconds=5000)
    record_judgement(worker=worker, item=first.item, answer=again)  # sent twice
    record_judgement(worker=worker, item=first.item, answer=Answer(key=uuid4(), grade=2, milliseconds=9000))  # revised
    record_judgement(worker=worker, item=first.item, answer=Answer(key=key, grade=0, milliseconds=9000))  # both at once
    assert Judgement.objects.count() == 3
    assert of(worker) == before
    assert (before.judged, before.pay) == (1, Decimal("1.00"))


@pytest.mark.django_db
def test_what_cannot_be_judged_and_surplus_is_work(running, make_worker):
    paid(running, pay_a_judgement="0.10")
    late, others = make_worker(running), [make_worker(running) for _ in range(2)]
    item = running.items.first()
    for worker in [*others, late]:
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), cannot_judge="other"))
    assert Judgement.objects.get(worker=late).slot is None
    assert [of(worker).pay for worker in [*others, late]] == [Decimal("0.10")] * 3


@pytest.mark.django_db
@pytest.mark.parametrize(("pay", "earned"), [({"pay_a_judgement": 1}, "3.00"), ({"pay_an_hour": 36}, "0.65")])
def test_no_more_work_is_paid_than_the_study_asks_of_each_and_checks_besides(running, make_worker, pay, earned):
    paid(running, most_judgements=2, seconds_a_judgement=10, **pay)
    worker, (gold, *items) = make_worker(running), running.items.all()
    designate([gold], Item.Role.GOLD, right=[1])
    joined_yesterday(worker)
    for item, seconds in zip([gold, *items[:4]], (5, 10, 20, 40, 50), strict=True):
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1, milliseconds=1000 * seconds))
    assert Judgement.objects.count() == 5, "all of it is kept"
    row = of(worker)
    assert (row.judged, row.milliseconds) == (5, 65_000)  # of the gold 5 s, and half of the 120 s of four answers
    assert row.pay == wage(worker).pay == Decimal(earned)


@pytest.mark.django_db
def test_by_the_hour_nobody_is_paid_for_more_time_than_has_passed(running, make_worker):
    paid(running, pay_an_hour=36, seconds_a_judgement=60)
    worker, items = make_worker(running), list(running.items.all()[:3])
    for item in items:  # in three windows at once
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1, milliseconds=90_000))
    first = timezone.now() - timedelta(minutes=10)
    Worker.objects.update(consented=first)
    Judgement.objects.update(created=first + timedelta(seconds=100))
    row = of(worker)
    assert (row.milliseconds, row.idle, row.pay) == (100_000, 170_000, Decimal("1.00"))
    assert wage(worker).pay == row.pay
    Worker.objects.update(simulated=True)
    assert of(worker).pay == wage(worker).pay == Decimal("2.70"), "those that tests make answer faster than people"


@pytest.fixture
def screening(running):
    """One item is the qualification test; 2 is right."""
    designate([running.items.first()], Item.Role.TEST, right=[2])
    running.refresh_from_db()
    return paid(running, pay_a_judgement="0.10")


@pytest.mark.django_db
@pytest.mark.parametrize(("promised", "pay"), [("0.50", "0.50"), ("0", "0.10")])
@pytest.mark.parametrize("by_marketplace", [True, False])
def test_who_is_screened_out_gets_what_was_promised_for_it_instead(
    screening, researcher, make_worker, promised, pay, by_marketplace
):
    paid(screening, pay_screened_out=promised)
    channel = channels.add_channel(screening, by=researcher, source="prolific")
    worker = consent(channel, Claim("p1", "s1")).worker if by_marketplace else make_worker(screening)
    judge(worker, seconds=5, grade=0)
    earned = of(worker)
    assert earned.screened_out
    assert (earned.pay, earned.an_hour) == (Decimal(pay), None)
    together = earnings.earnings(screening)
    assert (together.pay, together.screening, together.total) == (Decimal(0), Decimal(pay), Decimal(pay))


@pytest.mark.django_db
def test_who_passed_is_paid_for_the_test_and_keeps_it_when_set_aside(screening, make_worker):
    paid(screening, pay_screened_out="0.50")
    worker = make_worker(screening)
    judge(worker, seconds=5, grade=2)
    judge(worker, seconds=5)
    assert of(worker).pay == Decimal("0.20")
    exclusions.exclude(worker, reason="too fast")
    earned = of(worker)
    assert (earned.pay, earned.screened_out, earned.standing) == (Decimal("0.20"), False, "excluded")


@pytest.mark.django_db
@pytest.mark.parametrize(("outcome", "pay"), [("rejected", "0.00"), ("returned", "1.00"), ("timed_out", "1.00")])
def test_only_what_the_marketplace_rejected_is_not_paid(running, researcher, outcome, pay):
    channel = channels.add_channel(paid(running, pay_a_judgement=1), by=researcher, source="prolific")
    worker = consent(channel, Claim("p1", "s1")).worker
    judge(worker, seconds=5)
    bonuses.give(running, [worker], amount=Decimal("0.30"), reason="patience", by=researcher)
    Arrival.objects.update(outcome=outcome, ended="2026-01-01T00:00Z")
    earned = of(worker)
    assert (earned.pay, earned.bonus, earned.total) == (Decimal(pay), Decimal("0.30"), Decimal(pay) + Decimal("0.30"))


@pytest.mark.django_db
def test_a_program_earns_nothing(running, make_worker):
    worker = make_worker(paid(running, pay_a_judgement=1), machine="model 1")
    Judgement.objects.create(key=uuid4(), item=running.items.first(), worker=worker, grade=1, milliseconds=10)
    assert (of(worker).pay, of(worker).an_hour) == (Decimal(0), None)
    assert earnings.earnings(running).judged == 0


# Bonuses


@pytest.mark.django_db
def test_a_bonus_counts_until_it_is_withdrawn_and_stays_in_the_list(running, make_worker, researcher):
    workers = [make_worker(paid(running, pay_an_hour=12)) for _ in range(2)]
    rows = bonuses.give(running, workers, amount=Decimal("1.50"), reason="careful notes", by=researcher)
    assert earnings.earnings(running).bonuses == Decimal("3.00")
    assert bonuses.withdraw(rows[0], by=researcher)
    assert not bonuses.withdraw(rows[0], by=researcher)
    assert [of(worker).bonus for worker in workers] == [Decimal(0), Decimal("1.50")]
    assert Bonus.objects.get(pk=rows[0].pk).withdrawn_by == researcher
    deeds = [entry.about for entry in running.audit.filter(deed="paid")]
    assert deeds == [
        f"withdrawn: bonus of 1.50 EUR for careful notes, to {workers[0]}",
        f"bonus of 1.50 EUR for careful notes, to {workers[0]}, {workers[1]}",
    ]


@pytest.mark.django_db
def test_pressing_the_button_twice_gives_once(running, make_worker, researcher):
    worker = make_worker(paid(running, pay_an_hour=12))
    bonus = {"amount": Decimal(1), "reason": "thanks", "by": researcher}
    bonuses.give(running, [worker], after=0, **bonus)
    with pytest.raises(bonuses.NoBonus, match="a moment ago"):
        bonuses.give(running, [worker], after=0, **bonus)
    bonuses.give(running, [worker], after=bonuses.last_bonus(running), **bonus)  # having seen the first one
    assert of(worker).bonus == Decimal(2)


@pytest.mark.django_db
def test_nobody_gets_a_bonus_where_nobody_is_paid_nor_does_a_program(running, make_worker, researcher):
    with pytest.raises(bonuses.NoBonus, match="Nobody is paid"):
        bonuses.give(running, [make_worker(running)], amount=Decimal(1), reason="x", by=researcher)
    with pytest.raises(bonuses.NoBonus, match="machine judge"):
        machine = make_worker(paid(running, pay_an_hour=1), machine="model 1")
        bonuses.give(running, [machine], amount=Decimal(1), reason="x", by=researcher)
    assert not Bonus.objects.exists()


# Laws


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("way", ["pay_a_judgement", "pay_an_hour"])
def test_workers_add_up_to_the_total_and_each_is_what_their_rows_say(running, make_worker, researcher, way, seed):
    chance = random.Random(seed)
    paid(running, **{way: chance.choice(["0.0333", "0.125"]) if way == "pay_a_judgement" else "9.50"})
    workers = [make_worker(running) for _ in range(15)]
    joined_yesterday(*workers)
    for worker in workers:
        for _ in range(chance.randrange(7)):
            item = chance.choice(list(running.items.all()))
            milliseconds = chance.choice([0, 700, 24_999, 400_000])
            answer = Answer(key=uuid4(), grade=chance.randrange(3), milliseconds=milliseconds)
            record_judgement(worker=worker, item=item, answer=answer)
    for worker in chance.sample(workers, 4):
        bonuses.give(running, [worker], amount=Decimal(chance.randrange(1, 300)) / 100, reason="x", by=researcher)
    summary = earnings.earnings(running)
    assert summary.total == sum(row.total for row in summary.rows) == summary.pay + summary.bonuses
    assert [row.worker for row in summary.rows] == [worker.pk for worker in workers]
    for row in summary.rows:
        first: dict[int, int] = {}
        for item, milliseconds in Judgement.objects.filter(worker=row.worker).order_by("id").values_list("item", "milliseconds"):
            first.setdefault(item, milliseconds)
        assert row.judged == len(first)
        time = sum(min(duration, 125_000) for duration in first.values())
        assert row.pay == to_cents(running.pay_a_judgement * len(first) + running.pay_an_hour * time / 3_600_000)


@pytest.mark.django_db
def test_as_many_queries_for_many_workers_as_for_one(running, make_worker, django_assert_max_num_queries):
    paid(running, pay_a_judgement="0.05")
    for _ in range(30):
        judge(make_worker(running), seconds=3) if running.slots.filter(judged_at=None, number__isnull=False).exists() else None
    with django_assert_max_num_queries(4):
        assert len(earnings.earned_in(running)) >= 12


# How much it will be


@pytest.mark.django_db
def test_the_rest_costs_what_the_first_ones_did(running, make_worker):
    paid(running, pay_an_hour=36, seconds_a_judgement=10)  # a cent a second
    for seconds in (20, 40, 30):
        judge(make_worker(running), seconds=seconds)
    ahead = forecast(running, earnings.earnings(running))
    assert (ahead.wanted, ahead.judged, ahead.left) == (12, 3, 9)
    assert ahead.planned == Decimal("1.20")
    assert ahead.cost == Decimal("3.60")  # 0.90 for three, so 2.70 for nine more
    assert ahead.most_cost == ahead.cost


@pytest.mark.django_db
def test_before_the_first_judgement_it_costs_what_was_planned(running):
    paid(running, pay_a_judgement="0.10", most_overlap=4)
    ahead = forecast(running, earnings.earnings(running))
    assert (ahead.planned, ahead.cost) == (Decimal("1.20"), Decimal("1.20"))
    assert (ahead.more, ahead.most_cost) == (12, Decimal("2.40"))  # six items, two more workers each


@pytest.mark.django_db
def test_an_item_that_has_all_its_judgements_is_expected_to_get_no_more(running, make_worker):
    paid(running, pay_a_judgement="0.10", most_overlap=4)
    for _ in range(2):
        worker = make_worker(running)
        record_judgement(worker=worker, item=running.items.first(), answer=Answer(key=uuid4(), grade=1))
    assert forecast(running, earnings.earnings(running)).more == 10


def test_the_lowest_tenth_needs_ten_workers():
    rows = [earnings.Earned(worker=n, judged=1, milliseconds=3_600_000, idle=0, exact=Decimal(n)) for n in range(1, 12)]
    assert earnings.Earnings(rows).median_hourly == Decimal("6.00")
    assert earnings.Earnings(rows).lowest_tenth == Decimal("2.00")
    assert earnings.Earnings(rows[:9]).lowest_tenth is None
    assert earnings.Earnings([]).median_hourly is None


@pytest.mark.django_db
def test_the_file_of_earnings_says_no_more_than_the_page(running, researcher):
    from judging.pay.payouts import earned_file

    worker = invites.join(paid(running, pay_a_judgement="0.10"))
    judge(worker, seconds=36)
    assert earned_file(running).decode().splitlines() == [
        "worker,judgements,minutes,amount,bonus,total,an_hour,currency,remark",
        f"{worker},1,0.6,0.10,0.00,0.10,10.00,EUR,",
    ]
