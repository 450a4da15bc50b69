"""Workers who answer at random are found out by who agrees with whom, and then move no ladder."""

import numpy as np
import polars as pl
import pytest

from ireval.agreement import Resampling
from ireval.preferences import attention, bradley_terry, counts_of, ladder, votes_of
from tests.ireval.preferences.builders import votes_from

STRENGTHS = np.array([0.8, 0.3, -0.3, -0.8])


def crowd(seed, idle, topics=40, workers=20, overlap=3):
    """Votes on all pairs of four systems; some workers are idle: each guesses, always goes left, or always says tie.

    Which system is better on a topic varies around the strengths.
    """
    rng = np.random.default_rng(seed)
    idle = rng.random(workers) < idle
    busy = rng.lognormal(0, 1, workers)
    rows = []
    for topic in range(topics):
        for first, second in zip(*np.triu_indices(len(STRENGTHS), 1), strict=True):
            chance = 1 / (1 + np.exp(-2 * (STRENGTHS[first] - STRENGTHS[second] + rng.normal())))
            for worker in rng.choice(workers, overlap, replace=False, p=busy / busy.sum()):
                sides = rng.permutation([first, second])
                better = first if rng.random() < chance else second
                careful = "tie" if rng.random() < 0.15 else "left" if sides[0] == better else "right"
                winner = [rng.choice(["left", "right", "tie"]), "left", "tie"][worker % 3] if idle[worker] else careful
                rows.append((str(topic), f"{topic} {first} {second}", *map(str, sides), winner, f"w{worker:02}"))
    return pl.DataFrame(rows, schema=["topic", "item", "left", "right", "winner", "worker"], orient="row"), idle


def ladder_of(votes, weights=None):
    return bradley_terry(counts_of(votes, weights)).strength


def test_the_idle_are_told_from_the_careful():
    """Of a careful worker and an idle one with twenty votes or more, the careful one is found more attentive, 19 times of 20."""
    right = []
    for seed in range(8):
        frame, idle = crowd(seed, idle=0.3)
        votes = votes_of(frame)
        idle_here = idle[[int(name[1:]) for name in votes.workers]]
        busy, level = np.bincount(votes.worker) >= 20, attention(votes).worker
        right.extend((level[busy & ~idle_here][:, None] > level[busy & idle_here]).ravel())
    assert np.mean(right) > 0.95


def test_weighted_by_attention_idle_workers_hardly_move_the_ladder():
    """Apart from the ladder of the careful alone, it is half as far away; without idle workers it stays where it is."""
    apart = []
    for seed in range(8):
        frame, idle = crowd(seed, idle=0.3)
        careful = votes_of(frame.filter(~pl.col("worker").is_in([f"w{worker:02}" for worker in np.flatnonzero(idle)])))
        votes, truth = votes_of(frame), ladder_of(careful)
        weighted = ladder_of(votes, attention(votes).worker[votes.worker])
        alone = ladder_of(careful, attention(careful).worker[careful.worker])
        apart.append([np.abs(ladder - truth).mean() for ladder in (ladder_of(votes), weighted, alone)])
    plain, by_attention, without_idle = np.mean(apart, axis=0)
    assert by_attention < 0.55 * plain
    assert without_idle < 0.2 * plain


def test_the_ladder_stands_beside_the_one_by_attention():
    votes = votes_of(crowd(2, idle=0.3)[0])
    resampling = Resampling(resamples=200)
    both, plain = ladder(votes, resampling=resampling, by_attention=True), ladder(votes, resampling=resampling)
    assert both.strengths.strength.tolist() == plain.strengths.strength.tolist() and plain.by_attention is None
    assert both.by_attention is not None
    assert both.by_attention.strengths.strength == pytest.approx(ladder_of(votes, attention(votes).worker[votes.worker]))
    frame = both.frame()
    assert (frame["attentive_low"] < frame["attentive"]).all() and (frame["attentive"] < frame["attentive_high"]).all()
    assert frame["attentive"].abs().sum() > frame["strength"].abs().sum()  # guesses draw strengths together
    assert plain.frame()["attentive"].null_count() == 4
    assert ladder(votes, resampling=resampling, drawn="topics", by_attention=True).by_attention is None


def test_guesses_among_real_votes_move_the_ladder_half_as_far(shared_data):
    """Thirty guessers among 79 people on which of two songs is more like a third (Urbano et al. 2010)."""
    text = (shared_data / "prefs_mirex_mturk" / "judgments.csv").read_text(encoding="latin-1")
    raw = pl.read_csv(text.encode(), infer_schema=False)
    names = {"HITId": "item", "Input.query": "topic", "Input.docA": "left", "Input.docB": "right", "WorkerId": "worker"}
    winner = pl.col("Answer.radio").replace_strict({"a": "left", "b": "right", "s": "tie"}, default=None).alias("winner")
    people = raw.select(winner, **{ours: theirs for theirs, ours in names.items()}).drop_nulls()
    items, rng = people.unique("item", maintain_order=True), np.random.default_rng(0)
    guesses = [pl.Series(rng.choice(["left", "right", "tie"], 40)) for _ in range(30)]
    guessers = [
        items.sample(40, seed=number).with_columns(winner=winners, worker=pl.lit(f"g{number}"))
        for number, winners in enumerate(guesses)
    ]
    before, after = votes_of(people), votes_of(pl.concat([people, *guessers]))
    level = attention(after).worker
    guessing = np.array([name.startswith("g") for name in after.workers])
    assert level[guessing].mean() < 0.4 * level[~guessing].mean()
    moved = np.abs(ladder_of(after) - ladder_of(before)).mean()
    weights = [attention(votes).worker[votes.worker] for votes in (before, after)]
    assert np.abs(ladder_of(after, weights[1]) - ladder_of(before, weights[0])).mean() < 0.7 * moved


def test_where_everybody_votes_alone_nobody_is_told_from_the_others():
    result = attention(votes_from("q1 a b left x", "q2 a b right y", "q3 a b left x"))
    assert result.worker.tolist() == [1, 1]
    assert "fewer than half" in result.undefined


@pytest.mark.parametrize("factor", [0.2, 1.0, 3.0])
def test_weights_that_are_all_alike_change_no_strength(factor):
    votes = votes_of(crowd(1, idle=0.2)[0])
    assert ladder_of(votes, np.full(len(votes), factor)) == pytest.approx(ladder_of(votes), abs=1e-6)
