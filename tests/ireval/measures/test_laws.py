"""Laws that hold for every measure there is, whatever its formula: a new one is tested by entering the catalogue."""

import math
from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import MEASURES, Measure, evaluate, parse_measures
from tests.ireval.builders import qrels_of, ranked, run_of

Grades = Sequence[int | None]
GRADE = st.sampled_from([None, None, -1, 0, 0, 1, 1, 2, 3])
MISSED = st.lists(st.sampled_from([0, 1, 2]), max_size=4)
# The grades of a ranking from rank 1 down, None for unjudged, and those of the judged documents that it misses.
RANKING = st.tuples(st.lists(GRADE, min_size=1, max_size=12), MISSED)
# What a measure would take from the other topics is fixed here.
OF_C_W_L = ("BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG")
FIXED = {
    **{name: {"max_rel": 3} for name in ("RBP", "ERR", *OF_C_W_L)},
    **{name: {"documents": 1000} for name in ("Fallout", "Generality")},
}
OTHER_FORMS = [
    *("DCG(dcg='jk')@10", "DCG(dcg='exp-log2',gains={1:2,3:9})", "nDCG(dcg='exp-log2')@3", "nDCG(dcg='jk')@3"),
    *("RelativeRecall(n=3)@3", "RecallEffort(n=2)", "RecallEffort(n=3)@10"),
    *("nDCG(dcg='jk',base=3)@10", "nDCG(average='micro')", "nCG(gains={1:2,3:9})@3", "AUC(unretrieved='tied')"),
]


def instances() -> list[Measure]:
    """Every measure, with and without a cutoff."""
    measures = []
    for kind in MEASURES.values():
        fixed = FIXED.get(kind.name, {})
        if kind.at:
            measures += [kind(**fixed, **{kind.at.name: at}) for at in ([1, 3, 10] if kind.at.kind is int else [0, 0.3, 1])]
        if kind.at is None or not kind.at.required:
            measures.append(kind(**fixed))
    return measures


ALL = [*instances(), *parse_measures(OTHER_FORMS)]
# Of these the smaller value is the better one.
LESS_IS_BETTER = {kind.name for kind in MEASURES.values() if kind.better == "lower"}
# By these a document that moves up may do harm: G discounts by what stands above, to infAP a sampled document (grade below 0)
# is as likely to be relevant as those above it, Accuracy@k counts a relevant document that comes in below others,
# and the reader of BPM, who gains enough sooner, may end before the best documents.
NOT_MONOTONE = {"G", "infAP", "Accuracy", "BPM"}
# trec_eval averages nDCG over one point more where much was retrieved. Accuracy has more pairs in the right order, and Compat
# more ranks at which everything is shared.
REWARDED_FOR_LENGTH = {"Rndcg", "Accuracy", "Compat"}
# Counting what was retrieved rewards retrieving more, whatever it is.
SCORES = [
    measure for measure in ALL if measure.kind.better != "neither" and measure.kind.name not in {"NumRet", "NumQ", "NumRel"}
]


def topic(grades: Grades, missed: Grades) -> tuple[dict[str, float], dict[str, int]]:
    docnos = [f"d{place:02}" for place in range(len(grades))]
    judged = {docno: grade for docno, grade in zip(docnos, grades, strict=True) if grade is not None}
    missing = {f"m{place}": grade for place, grade in enumerate(missed) if grade is not None}
    return ranked(docnos), judged | missing | {"far away": 0}  # so that the topic has qrels


def values(grades: Grades, missed: Grades = (), **rules) -> dict[Measure, float]:
    run, judged = topic(grades, missed)
    row = evaluate(run_of({"1": run}), qrels_of({"1": judged}), ALL, topics="qrels", **rules).values.row(0, named=True)
    return {measure: row[str(measure)] for measure in ALL}


def violations(smaller: dict[Measure, float], larger: dict[Measure, float], of: list[Measure] = SCORES) -> list[str]:
    return [f"{measure}: {smaller[measure]} > {larger[measure]}" for measure in of if smaller[measure] > larger[measure] + 1e-12]


def hurts(worse: dict[Measure, float], better: dict[Measure, float], but: Collection[str] = ()) -> list[str]:
    """Measures, `but` for those of these names, by which the worse ranking is the better one."""
    of = [measure for measure in SCORES if measure.kind.name not in but]
    upright, reversed_ = ([measure for measure in of if (measure.kind.name in LESS_IS_BETTER) == less] for less in (False, True))
    return violations(worse, better, upright) + violations(better, worse, reversed_)


@given(ranking=RANKING, profile=st.sampled_from(["trec_eval-9", "trec_eval-10", "textbook"]))
def test_values_are_within_their_bounds(ranking, profile):
    by_measure = values(*ranking, profile=profile)
    assert not violations(by_measure, {measure: measure.kind.range[1] for measure in ALL}, ALL)
    assert not violations({measure: measure.kind.range[0] for measure in ALL}, by_measure, ALL)


@given(ranking=RANKING)
def test_no_order_is_better_than_the_ideal_one(ranking):
    grades, missed = ranking
    ideal = sorted(grades, key=lambda grade: -2 if grade is None else grade, reverse=True)
    assert not hurts(values(grades, missed), values(ideal, missed))


@given(above=st.lists(GRADE, max_size=4), below=st.lists(GRADE, max_size=8), missed=MISSED, pair=st.sets(st.integers(-1, 3), min_size=2, max_size=2))  # fmt: skip  # noqa: E501
def test_moving_a_better_document_up_never_hurts(above, below, missed, pair):
    worse, better = sorted(pair)
    before, after = values([*above, worse, better, *below], missed), values([*above, better, worse, *below], missed)
    assert not hurts(before, after, NOT_MONOTONE)


@given(above=st.lists(GRADE, max_size=6), below=st.lists(GRADE, max_size=6), missed=MISSED)
def test_adding_an_unjudged_document_never_helps(above, below, missed):
    assert not hurts(values([*above, None, *below], missed), values([*above, *below], missed), REWARDED_FOR_LENGTH)


@pytest.mark.parametrize("cutoff", [1, 3, 10])
@given(data=st.data())
def test_what_stands_below_the_cutoff_does_not_matter(cutoff, data):
    measures = [measure for measure in ALL if measure.values.get("cutoff") == cutoff]
    grades = data.draw(st.lists(GRADE, min_size=cutoff, max_size=cutoff))
    below, missed = data.draw(st.lists(GRADE, max_size=5)), data.draw(MISSED)
    short = values(grades, [*missed, *below])
    for longer in (values([*grades, *below], missed), values([*grades, *below], missed, depth=cutoff)):
        assert {measure: longer[measure] for measure in measures} == pytest.approx({m: short[m] for m in measures}, abs=1e-12)


@given(rankings=st.lists(RANKING, min_size=2, max_size=4), seed=st.integers(0, 100))
def test_topics_do_not_touch_each_other_and_rows_have_no_order(rankings, seed):
    topics = {str(number): topic(*ranking) for number, ranking in enumerate(rankings)}
    run = run_of({name: scores for name, (scores, _) in topics.items()}).sample(fraction=1, shuffle=True, seed=seed)
    qrels = qrels_of({name: judged for name, (_, judged) in topics.items()}).sample(fraction=1, shuffle=True, seed=seed)
    together = evaluate(run, qrels, ALL, may_share_none=True).values
    for number, ranking in enumerate(rankings):
        alone = {str(measure): value for measure, value in values(*ranking).items()}
        assert together.drop("topic").row(number, named=True) == pytest.approx(alone, abs=1e-12)


# A run that retrieves nothing has the best fallout: it is to be read beside recall.
COMPARED = [measure for measure in ALL if measure.kind.better != "neither" and measure.kind.name != "Fallout"]


def least(measure: Measure) -> float:
    if measure.kind.name == "SL":
        return measure.values["cutoff"] + 1
    return {"GMAP": 1e-5, "GBpref": 1e-5, "E": 1}.get(measure.kind.name, 0)


def test_a_topic_with_nothing_relevant_counts_and_is_worth_the_least():
    by_measure, otherwise = values([0, -1]), {"NumRet": 2, "NumQ": 1, "Judged": 1, "Utility": -2}
    assert {measure: by_measure[measure] for measure in COMPARED} == {
        measure: otherwise.get(measure.kind.name, least(measure)) for measure in COMPARED
    }


def test_a_missing_topic_counts_only_if_asked_and_is_worth_the_least():
    run, qrels = run_of({"1": {"d": 1.0}}), qrels_of({"1": {"d": 1}, "2": {"d": 1}})
    assert evaluate(run, qrels, ALL).topics == ["1"]
    table = evaluate(run, qrels, ALL, topics="qrels").values
    assert table["topic"].to_list() == ["1", "2"]
    otherwise = {"NumQ": 1, "NumRel": 1, "YAAP": -math.log(2)}
    row = table.drop("topic").row(1, named=True)
    assert {measure: row[str(measure)] for measure in COMPARED} == {
        measure: otherwise.get(measure.kind.name, least(measure)) for measure in COMPARED
    }


def test_no_topic_at_all_has_no_mean():
    nothing = evaluate(run_of({"1": {"d": 1.0}}), qrels_of({"2": {"d": 1}}), ALL, may_share_none=True)
    means = {measure: nothing.means()[str(measure)] for measure in ALL}
    sums = {measure for measure in ALL if measure.kind.aggregate == "sum"}
    assert nothing.n == 0
    assert {measure for measure, mean in means.items() if mean == 0} == sums
    assert {measure for measure, mean in means.items() if math.isnan(mean)} == set(ALL) - sums


@pytest.mark.parametrize("kind", MEASURES.values(), ids=list(MEASURES))
def test_the_catalogue_says_what_a_reader_needs(kind):
    assert all([kind.title, kind.formula, kind.citation, kind.degenerate])
    assert kind.compute.__doc__ and ">>> " in kind.compute.__doc__, "a measure has an example beside its code"
