"""Whose work stands out: by the study's rules, and among its workers."""

from types import SimpleNamespace

import polars as pl
import pytest
from django.urls import reverse

from judging.models import Rule
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.quality.workers import Signal, out_of_the_ordinary, workers
from metrics.kinds.studies import ROWS, request_study_report

USUAL = {
    "answered": 50, "gold": 0.8, "gold_answered": 20, "attention": 0, "attention_answered": 3, "agreement": 0.7, "compared": 50,
    "seconds": 12.0, "hasty": 0.0, "run": 5, "commonest": 0.4, "cannot": 0.0, "twin": 0.1, "twin_worker": 2, "twin_common": 30,
}  # fmt: skip
WOBBLE = [-0.02, 0.03, 0.0, -0.01, 0.02, 0.01]


def crowd_with(**odd):
    """Six ordinary workers, a little apart from each other, and a seventh who differs in what is named."""
    ordinary = [
        USUAL | {"worker": place + 1, "gold": 0.8 + by, "agreement": 0.7 + by, "seconds": 12 + 20 * by, "commonest": 0.4 + by}
        for place, by in enumerate(WOBBLE)
    ]
    return pl.DataFrame([*ordinary, USUAL | {"worker": 7} | odd], strict=False)


def reasons(frame, rules=()):
    evidence = SimpleNamespace(signals=frame, facts={"rules": rules}, spec={"intervals": {"confidence": 0.95}})
    return workers(evidence).tables[ROWS]["why"].to_list()


def test_ordinary_workers_are_left_alone():
    assert reasons(crowd_with()) == [[]] * 7


@pytest.mark.parametrize(
    ("signal", "value", "words"),
    [
        ("gold", 0.2, "Share of gold that is right 20 %: far from the usual 80 %"),
        ("attention", 3, "Attention checks failed 3: far from the usual 0"),
        ("agreement", 0.3, "Agreement with the other workers 30 %: far from the usual 70 %"),
        ("seconds", 1.5, "Median seconds per judgement 1.5 s: far from the usual 12.0 s"),
        ("hasty", 0.5, "Share of answers that were too fast 50 %: far from the usual 0 %"),
        ("run", 40, "The same grade in a row 40: far from the usual 5"),
        ("commonest", 0.95, "Share of their commonest grade 95 %: far from the usual 41 %"),
        ("cannot", 0.6, "Share of “can’t judge” 60 %: far from the usual 0 %"),
        ("twin", 0.95, "Same answers as one other worker 95 %: far from the usual 10 %"),
    ],
)
def test_who_is_out_of_the_ordinary_is_named_with_why(signal, value, words):
    *others, odd = reasons(crowd_with(**{signal: value}))
    assert (odd, others) == ([words], [[]] * 6)


@pytest.mark.parametrize(("signal", "value"), [("gold", 1.0), ("seconds", 60.0), ("agreement", 0.99), ("commonest", 0.2)])
def test_better_than_usual_is_nothing_to_look_at(signal, value):
    assert reasons(crowd_with(**{signal: value}))[-1] == []


@pytest.mark.parametrize(
    "few", [{"hasty": 0.04}, {"gold": 0.0, "gold_answered": 4}, {"agreement": 0.0, "compared": 9}, {"gold": None}]
)
def test_too_few_answers_or_too_small_a_difference_say_nothing(few):
    assert reasons(crowd_with(**few))[-1] == []


def test_among_four_nothing_is_ordinary():
    frame = crowd_with(gold=0.0).tail(4)
    assert not out_of_the_ordinary(frame, Signal.GOLD).any()


def test_a_rule_of_the_study_applies_from_its_threshold_on():
    def caught(*rule):
        return [why for why in reasons(crowd_with(run=9, gold=0.75), [rule])[-1] if "rule" in why]

    assert caught("run", 9, 10) == ["The same grade in a row 9: a rule of this study says from 9"]
    assert caught("run", 10, 10) == []
    assert caught("gold", 0.75, 10) == []
    both = reasons(crowd_with(gold=0.25), [["gold", 0.5, 10]])[-1]
    assert both == ["Share of gold that is right 25 %: a rule of this study says below 50 %; far from the usual 80 %"]
    assert caught("gold", 0.76, 10) == ["Share of gold that is right 75 %: a rule of this study says below 76 %"]
    assert caught("gold", 0.76, 21) == []


def test_every_signal_that_rules_know_is_told():
    frame = crowd_with()
    for signal in Rule.Signal:
        assert signal.value in frame.columns
        assert not out_of_the_ordinary(frame, signal).any()


def test_gold_has_wilsons_interval():
    evidence = SimpleNamespace(
        signals=crowd_with(gold=None, gold_answered=0), facts={"rules": []}, spec={"intervals": {"confidence": 0.95}}
    )
    rows = workers(evidence).tables[ROWS]
    assert rows.select("gold_low", "gold_high").row(2) == pytest.approx((0.5840, 0.9193), abs=1e-4)  # 16 of 20
    assert rows.select("gold_low", "gold_high").row(6) == (None, None)


@pytest.mark.django_db
def test_the_page_lists_them_with_medians_and_why(client, researcher, crowd, compute):
    crowd.rules.create(signal="commonest", threshold=0.5, least=5, action="warned", created_by=researcher)
    compute(request_study_report(QUALITY, crowd))
    client.force_login(researcher)
    address = reverse("study_quality_workers", args=[crowd.pk])
    shown = client.get(address).content.decode()
    caught = crowd.workers.first()
    assert "Median" in shown
    assert shown.index("Share of their commonest grade 50 %: a rule of this study says from 50 %")
    assert reverse("study_worker", args=[crowd.pk, caught.pk]) in shown
    assert "a rule of this study says" in client.get(reverse("study_quality", args=[crowd.pk])).content.decode()
    only = client.get(f"{address}?flagged=1&sort=-answered").content.decode()
    assert 0 < only.count('<th scope="row"') < shown.count('<th scope="row"')
    csv = client.get(reverse("study_quality_download", args=[crowd.pk, "workers.csv"])).content.decode().splitlines()
    assert csv[0].startswith("worker,answered,gold")
    assert len(csv) == 4
    assert csv[1].startswith(f"{caught},6,")
