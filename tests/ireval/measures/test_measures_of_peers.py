"""Measures that ir_measures and cwl_eval have: their published values, their code, and readers who go down a list."""

from collections.abc import Callable

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import evaluate, parse_measure, read_qrels, read_run
from ireval.measures.rankings import ranking
from tests.ireval.builders import qrels_of, ranked, run_of


def published(path, digits: int) -> list[tuple[str, str, str]]:
    """The measure, the topic and the value of each number that a file prints."""
    lines = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")]
    if lines[0][1:2] == ["query"]:
        return [(measure, topic, f"{float(value):.{digits}f}") for measure, topic, value in lines[1:] if topic != "mean"]
    return [(row[0], topic, value) for row in lines[1:] for topic, value in zip(lines[0][1:], row[1:], strict=True)]


@pytest.mark.parametrize(("name", "digits"), [("cwl", 4), ("compat", 12)])
def test_published_values(shared_data, name, digits):
    folder = shared_data / "ir_measures_tests"
    run, qrels = read_run(folder / f"{name}.run"), read_qrels(folder / f"{name}.qrels")
    expected = published(folder / f"expected_{name}.tsv", digits)
    assert len(expected) >= 6
    for measure, topic, value in expected:
        values = evaluate(run, qrels, measure).values
        assert f"{values.filter(topic=topic)[:, 1].item():.{digits}f}" == value, (measure, topic)


GRADES = st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), min_size=1, max_size=12)
MISSED = st.lists(st.sampled_from([0, 1, 2, 3]), max_size=5)
WANTED = st.sampled_from([0.5, 1.0, 1.5, 3.0])

# From the gains so far, this rank's last, to the chance that a reader goes on.
GoesOn = Callable[[list[float]], float]


def inverse_square(ahead: float) -> float:
    return ((ahead - 1) / ahead) ** 2


def readers(wanted: float, cutoff: int) -> dict[str, GoesOn]:
    """How a reader of each measure behaves, written as its paper says it."""
    return {
        f"BPM(T={wanted},max_rel=3)@{cutoff}": lambda gains: float(sum(gains) < wanted and len(gains) < cutoff),
        f"INSQ(T={wanted},max_rel=3)": lambda gains: inverse_square(len(gains) + 2 * wanted),
        f"INST(T={wanted},max_rel=3)": lambda gains: inverse_square(len(gains) + wanted + (wanted - sum(gains))),
        f"NERR8(max_rel=3)@{cutoff}": lambda gains: (1 - gains[-1]) * (len(gains) < cutoff),
        f"NERR9(max_rel=3)@{cutoff}": lambda gains: len(gains) / (len(gains) + 1) * (1 - gains[-1]) * (len(gains) < cutoff),
        "NERR10(p=0.7,max_rel=3)": lambda gains: 0.7 * (1 - gains[-1]),
        f"NERR11(T={wanted},max_rel=3)": lambda gains: inverse_square(len(gains) + 2 * wanted) * (1 - gains[-1]),
    }


def gain_per_document(grades: list[int | None], goes_on: GoesOn) -> float:
    """What a reader gains over how many documents they read, both expected, for readers who end at rank 1,000."""
    here, gained, read = 1.0, 0.0, 0.0
    gains: list[float] = []
    for rank in range(1000):
        gains.append(max(0, (grades[rank] or 0) if rank < len(grades) else 0) / 3)
        gained, read = gained + here * gains[-1], read + here
        here *= goes_on(gains)
    return gained / read


@given(grades=GRADES, missed=MISSED, wanted=WANTED, cutoff=st.integers(1, 12))
def test_a_reader_who_goes_down_the_list_gains_as_much(grades, missed, wanted, cutoff):
    for name, goes_on in readers(wanted, cutoff).items():
        ours = parse_measure(name)(ranking(grades, [*missed, 0])).item()  # so that the topic has qrels
        assert ours == pytest.approx(gain_per_document(grades, goes_on), abs=1e-9), name


def test_many_topics_are_computed_as_one_by_one():
    names = [f"t{number:04}" for number in range(1200)]
    run = run_of({name: ranked(["a", "b", "c"]) for name in names})
    qrels = qrels_of({name: {"abc"[place % 3]: 1} for place, name in enumerate(names)})
    values = evaluate(run, qrels, "INST(max_rel=1)").values["INST(max_rel=1)"]
    assert values.to_list() == (values.head(3).to_list() * 400) and values.n_unique() == 3


JUDGED = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1, 3), min_size=1)
RUNS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 10**6).map(float), min_size=1).filter(
    lambda run: len(set(run.values())) == len(run)
)


@given(run=RUNS, qrels=JUDGED, p=st.sampled_from([0.5, 0.95]))
def test_compatibility_agrees_with_its_authors_code(run, qrels, p):
    for normalize in (True, False):
        theirs = ir_measures.Compat(p=p, normalize=normalize)
        expected = ir_measures.calc_aggregate([theirs], {"1": qrels}, {"1": run})[theirs]
        assert evaluate({"1": run}, {"1": qrels}, [theirs]).means() == pytest.approx({str(parse_measure(theirs)): expected})


@given(run=RUNS, qrels=JUDGED, cutoff=st.integers(1, 9))
def test_accuracy_is_the_share_of_pairs_in_order(run, qrels, cutoff):
    shown = sorted(run, key=run.__getitem__, reverse=True)[:cutoff]
    relevant = [qrels.get(docno, 0) > 0 for docno in shown]
    pairs = [(above, below) for above in range(len(shown)) for below in range(above) if relevant[above] != relevant[below]]
    expected = sum(relevant[below] for _, below in pairs) / len(pairs) if pairs else float(any(relevant))
    assert evaluate({"1": run}, {"1": qrels}, f"Accuracy@{cutoff}").means()[f"Accuracy@{cutoff}"] == pytest.approx(expected)
    if pairs:
        theirs = ir_measures.Accuracy @ cutoff
        assert ir_measures.calc_aggregate([theirs], {"1": qrels}, {"1": run})[theirs] == pytest.approx(expected)


CONDENSED = [measure(judged_only=True) @ 5 for measure in (ir_measures.P, ir_measures.AP, ir_measures.nDCG)]
CONDENSED += [ir_measures.RR(judged_only=True), ir_measures.Rprec(judged_only=True)]


@given(run=RUNS, qrels=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1))
def test_one_measure_may_leave_out_what_is_not_judged(run, qrels):
    ours = evaluate({"1": run}, {"1": qrels}, [*CONDENSED, "P@5"]).means()
    theirs = ir_measures.calc_aggregate(CONDENSED, {"1": qrels}, {"1": run})
    assert ours == pytest.approx({str(measure): theirs[measure] for measure in CONDENSED} | {"P@5": ours["P@5"]})
    whole = evaluate({"1": run}, {"1": qrels}, ["P@5"], judged_only=True).means()["P@5"]
    assert ours["P(judged_only=True)@5"] == whole
    assert ours["P@5"] == evaluate({"1": run}, {"1": qrels}, "P@5").means()["P@5"]
