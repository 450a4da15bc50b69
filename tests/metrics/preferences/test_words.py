"""The sentences claim no more than their numbers."""

import polars as pl
import pytest

from ireval.io.plain import plain
from ireval.preferences import preference, votes_of
from metrics.figures.charts import preferences_by_measure
from metrics.kinds.preferences.words import behaviour_sentence, headline, outlook, side


def pair(wins, ties, losses, *, workers=4, corrected=None):
    """So many topics on which all workers say the same."""
    winners = ["left"] * wins + ["tie"] * ties + ["right"] * losses
    rows = [(str(topic), "new", "old", winner, str(worker)) for topic, winner in enumerate(winners) for worker in range(workers)]
    votes = votes_of(pl.DataFrame(rows, schema=["item", "left", "right", "winner", "worker"], orient="row"))
    comparison = preference(votes, "new", "old")
    p = {"topics": comparison.by_topics.dropped, "score": comparison.score.p}
    return plain({**comparison._asdict(), "corrected": p | (corrected or {})})


def test_a_preference_that_can_be_told():
    duel = pair(18, 2, 4)
    assert headline(duel, 1).startswith(
        "Workers prefer new to old on 18 of 22 decided topics (exact sign test, ties dropped, p = "
    )
    assert "n = 24 topics with 96 votes by 4 workers" in headline(duel, 1)
    assert "by Holm" not in headline(duel, 1)


def test_the_loser_may_stand_first():
    assert headline(pair(4, 0, 18), 1).startswith("Workers prefer old to new on 18 of 22")


def test_correction_for_many_pairs_can_take_it_back():
    duel = pair(18, 2, 4, corrected={"topics": 0.08})
    assert headline(duel, 10).startswith("Nothing can be told yet: new is preferred to old on 18 of 22")
    assert "p = 0.0800, corrected for 10 pairs by Holm" in headline(duel, 10)


def test_who_would_agree_is_said_apart():
    assert outlook(pair(18, 2, 4, corrected={"score": 0.2}), 1).startswith("This takes the workers for given")
    assert outlook(pair(18, 2, 4), 1).startswith("Other workers and other topics would probably say the same")
    assert outlook(pair(9, 0, 0), 1) == "Whether other workers would agree cannot be told: all votes say the same."


def test_it_says_how_many_topics_it_would_take():
    sentence = outlook(pair(14, 0, 6), 1)
    assert "on 70 % of decided topics, showing that takes about 54 topics." in sentence
    assert "20 topics can show one that holds on" in sentence


def test_it_promises_no_number_where_there_is_none():
    assert "No number of topics" in outlook(pair(8, 0, 8), 1)
    assert "takes more than 2,000 topics" in outlook(pair(101, 0, 99), 1)
    assert outlook(pair(3, 0, 0), 1).startswith("It takes at least 6 decided topics")
    assert outlook(pair(3, 0, 0), 10).startswith("It takes at least 9 decided topics")
    assert headline(pair(0, 7, 0), 1).startswith("Nothing can be told: each of 7 topics has votes as often for new as for old")


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
    topic = {"topic": "1", "n": 4, "score": score, "difference": difference}
    *_, marks = preferences_by_measure([topic], "new", "nDCG@10")["data"]
    assert series in marks["name"].lower()
    assert (marks["x"], marks["y"]) == ([difference], [score])
