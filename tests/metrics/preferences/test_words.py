"""The sentences claim no more than their numbers."""

import re

import polars as pl
import pytest

from ireval.io.plain import plain
from ireval.preferences import preferences, votes_of
from ireval.significance import Clustered
from ireval.verdict import line_of_votes, verdict
from metrics.figures.scatters import preferences_by_measure
from metrics.kinds.margins import Matters
from metrics.kinds.preferences.results import with_decisions
from metrics.kinds.preferences.words import behaviour_sentence, doubts, headline, numbers, outlook, side, these_workers
from metrics.templatetags.preferences import outcome_bar


def duels(*counts, workers=4):
    """The duels of systems with so many topics won, tied and lost against `old`, on each of which all workers say the same."""
    rows = [
        (f"{system} {topic}", f"new{system}", "old", winner, str(worker))
        for system, (wins, ties, losses) in enumerate(counts)
        for topic, winner in enumerate(["left"] * wins + ["tie"] * ties + ["right"] * losses)
        for worker in range(workers)
    ]
    votes = votes_of(pl.DataFrame(rows, schema=["item", "left", "right", "winner", "worker"], orient="row"))
    pairs = [plain(pair._asdict() | {"corrected": {"topics": pair.by_topics.dropped}}) for pair in preferences(votes)]
    return with_decisions({"pairs": pairs})["pairs"]


def test_a_preference_that_can_be_told():
    (duel,) = duels((18, 2, 4))
    assert headline(duel) == "Workers prefer new0 to old."
    sentence = numbers(duel)
    assert sentence.startswith("new0 gets 79 % of the votes, a tie being half a vote (95 % interval ")
    assert "n = 96 votes on 24 topics by 4 workers" in sentence and "Holm" not in sentence
    assert outlook(duel, Matters(0.05)) == "That holds for other topics and other workers of the same kind."


def test_the_loser_may_stand_first():
    (duel,) = duels((4, 0, 18))
    assert headline(duel) == "Workers prefer old to new0."


def test_correction_for_many_pairs_can_take_it_back():
    (alone,) = duels((18, 2, 5))
    among_ten, *_ = duels((18, 2, 5), *[(10, 5, 10)] * 9)
    assert headline(alone) == "Workers prefer new0 to old."
    assert headline(among_ten) == "No preference between new0 and old was found."
    assert "99.5 % interval" in numbers(among_ten) and "corrected for 10 pairs by Holm" in numbers(among_ten)
    assert among_ten["decision"].low < 0.5 < among_ten["decision"].high


def test_what_the_same_workers_would_say_is_another_question():
    (duel,) = duels((18, 2, 4))
    assert these_workers(duel, 1).startswith("Another question")
    assert "new0 wins 18 of 22 topics that are no tie: exact sign test, p = 0.0043." in these_workers(duel, 1)


def test_a_single_worker_speaks_for_nobody_else():
    (duel,) = duels((18, 2, 4), workers=1)
    assert headline(duel) == "Nothing can be told of new0 and old: there is a single worker."
    assert "interval" not in numbers(duel)
    assert outlook(duel, Matters(0.05)) == "It takes votes that differ, on two topics and by two workers at least."


def test_it_says_how_many_votes_tell_a_preference_that_matters():
    (duel,) = duels((11, 0, 9))
    assert headline(duel) == "No preference between new0 and old was found."
    assert "to tell a difference of 0.05 in share of votes with power .8, α = .05." in outlook(duel, Matters(0.05))
    votes = int(re.search(r"about ([\d,]+) votes \(", outlook(duel, Matters(0.05)))[1].replace(",", ""))
    strong_enough = int(re.search(r"show a preference of (\d+) % of the votes", outlook(duel, Matters(0.05)))[1])
    times = round(votes / duel["n"])
    (larger,) = duels((11 * times, 0, 9 * times), workers=8)  # who all say the same: it is topics that count
    assert larger["decision"].is_told and votes > 80 and strong_enough > 60


def test_a_verdict_by_these_votes_alone_takes_as_many():
    (duel,) = duels((11, 0, 9))
    (answer,) = verdict([line_of_votes("votes", Clustered(**duel["score"]), duel["n"], margin=0.05)]).answers
    assert f"about {answer.needed:,} votes" in outlook(duel, Matters(0.05))


def test_it_promises_no_number_where_there_is_none():
    (even,), (hardly,), (few,), (ties,) = (duels(counts) for counts in ((8, 0, 8), (101, 0, 99), (2, 0, 1), (0, 7, 0)))
    assert "It takes" in outlook(even, Matters(0.05))  # whatever was found, the plan is for what matters
    assert outlook(even, Matters(0.05)).split(" votes")[0] != outlook(hardly, Matters(0.05)).split(" votes")[0]
    assert "3 topics and 4 workers like these can show no preference, however strong." in outlook(few, Matters(0.05))
    assert headline(ties) == "Nothing can be told of new0 and old: all votes say the same."


def test_a_side_is_favoured_only_where_that_is_clear():
    clear = {"decided": 100, "left": 70, "share": 0.7, "low": 0.6, "high": 0.78, "p": 0.0001}
    assert side(clear).endswith("Workers favour the left side, whichever system is there.")
    assert side({**clear, "p": 0.3}).endswith("That they favour a side cannot be told.")
    assert side({**clear, "decided": 0}) == "No vote decides, so that none favours a side."


def test_an_undefined_interval_says_why():
    share = {"value": 1.0, "low": None, "high": None, "p": None, "undefined": "there is a single worker"}
    sentence = behaviour_sentence({"what": "opens", "n": 3, "preferred": 3, "share": share}, "opened more often")
    assert sentence.endswith("3 of 3 decided votes in which one was (100 %; no interval: there is a single worker).")


@pytest.mark.parametrize(
    ("score", "difference", "series"), [(1, 0.2, "same"), (0, 0.2, "different"), (0.5, 0.2, "tie"), (1, 0, "tie")]
)
def test_a_mark_says_whether_both_agree(score, difference, series):
    topic = {"name": "1", "n": 4, "score": score, "difference": difference}
    *_, marks = preferences_by_measure([topic], "new", "nDCG@10")["data"]
    assert series in marks["name"].lower()
    assert (marks["x"], marks["y"]) == ([difference], [score])


TRUSTED = {
    "side": {"share": 0.52, "p": 0.4},
    "consistency": {"n": 40, "share": 0.9},
    "agreement": [{"name": "percent", "low": 0.5, "value": 0.6}, {"name": "alpha-ordinal", "low": 0.2, "value": 0.3}],
    "seconds": 14.0,
}


@pytest.mark.parametrize(
    ("worse", "says"),
    [
        ({}, None),
        ({"side": {"share": 0.77, "p": 1e-9}}, "77 % of decided votes chose the left list, whichever system was there."),
        ({"side": {"share": 0.2, "p": 1e-9}}, "80 % of decided votes chose the right list, whichever system was there."),
        ({"side": {"share": 0.0, "p": 1e-9}}, "100 % of decided votes chose the right list, whichever system was there."),
        ({"side": {"share": None, "p": 1.0}}, None),
        ({"consistency": {"n": 100, "share": 0.62}}, "Only 62 % of 100 answers stayed the same when the sides were swapped."),
        ({"consistency": {"n": 3, "share": 0.0}}, None),
        ({"consistency": {"n": 0, "share": None}}, None),
        (
            {"agreement": [{"name": "alpha-ordinal", "low": -0.05, "value": -0.03}]},
            "Whether workers agree with each other more than by chance is not known: α = −0.03.",
        ),
        ({"seconds": 1.25}, "Half of the votes took less than 1.2 seconds: too fast to read."),
        ({"seconds": None}, None),
        ({"side": None}, None),
    ],
)
def test_what_casts_doubt_on_the_votes_stands_with_the_answer(worse, says):
    assert doubts(TRUSTED | worse) == ([says] if says else [])


def test_parts_of_a_bar_are_told_apart_without_colours():
    row = {"wins": 3, "ties": 4, "both_bad": 1, "losses": 2}
    looks = [segment["look"] for segment in outcome_bar(row, "new", "old")["segments"]]
    assert len({(look.thickness, look.stripes) for look in looks}) == 4
