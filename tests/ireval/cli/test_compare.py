"""`python -m ireval compare` and `correlate`: what goes in, what comes out, and what is said of mistakes."""

import csv
import gzip
import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
import pytrec_eval
from scipy import stats

from ireval import MEASURES, evaluate, parse_measure
from ireval.cli.main import main
from ireval.significance import TESTS, BadComparison, Rules, Scores, compare, read_scores, scores_of
from tests.ireval.builders import qrels_of, ranked, run_of, write
from tests.ireval.cli.commands import complaint, printed

TABLE = ["topic,bm25,rm3,dense", "1,0.2,0.3,0.5", "2,0.1,0.3,0.2", "3,0.4,0.7,0.9", "4,0.3,0.2,0.6"]
VALUES = np.array([[float(cell) for cell in line.split(",")[1:]] for line in TABLE[1:]])


@pytest.fixture
def table(tmp_path) -> str:
    return str(write(tmp_path / "scores.csv", *TABLE))


@pytest.fixture
def runs(tmp_path) -> dict[str, str]:
    """Three runs over three topics, the last of which the third run lacks."""
    paths = {}
    for name, order in (("first", "abcd"), ("second", "bacd"), ("third", "dcba")):
        lines = [f"{topic} Q0 {docno} {rank} {9 - rank} {name}" for topic in "123" for rank, docno in enumerate(order)]
        paths[name] = str(write(tmp_path / name, *(lines[:8] if name == "third" else lines)))
    paths["qrels"] = str(write(tmp_path / "qrels", *(f"{topic} 0 a {topic}" for topic in "123")))
    return paths


def test_the_table_has_every_pair_with_all_that_belongs_to_it(table, capsys):
    assert printed(capsys, "compare", "--matrix", table).splitlines() == [
        "values: 3 systems on the same 4 topics, 3 pairs",
        "  paired t test, two-sided; p corrected for the number of pairs: Holm; "
        "intervals: Student's t at each pair's share of 0.05",
        "  with 4 topics intervals may be too narrow: 10 are needed",
        "  first  second  mean    mean    difference  interval           n  g      superiority  p       corrected p",
        "  bm25   rm3     0.2500  0.3750  -0.1250     -0.4502 to 0.2002  4  -0.53  0.25         0.2394  0.3762",
        "  bm25   dense   0.2500  0.5500  -0.3000     -0.6965 to 0.0965  4  -1.33  0.00         0.0349  0.1047",
        "  rm3    dense   0.3750  0.5500  -0.1750     -0.6055 to 0.2555  4  -0.61  0.25         0.1881  0.3762",
        "",
    ]
    assert stats.ttest_rel(*VALUES[:, [0, 2]].T).pvalue == pytest.approx(0.0349, abs=5e-5)


def test_json_has_everything_at_full_precision_and_says_how(table, capsys):
    arguments = ["--test", "randomisation", "--seed", "7", "--baseline", "rm3", "--correction", "bh", "--format", "json"]
    content = json.loads(printed(capsys, "compare", "--matrix", table, *arguments))
    assert (content["test"], content["seed"], content["correction"], content["n"]) == ("randomisation", 7, "bh", 4)
    assert content["means"] == pytest.approx({"bm25": 0.25, "rm3": 0.375, "dense": 0.55})
    assert [(pair["first"], pair["second"]) for pair in content["pairs"]] == [("bm25", "rm3"), ("dense", "rm3")]
    assert [pair["p"] for pair in content["pairs"]] == [0.375, 0.25]  # of 16 exchanges, 6 and 4 are as far apart


def test_csv_has_a_row_a_pair(table, capsys):
    rows = list(csv.DictReader(printed(capsys, "compare", "--matrix", table, "--test", "tukey", "--format", "csv").splitlines()))
    assert (rows[0]["first"], rows[0]["second"], rows[0]["correction"]) == ("bm25", "rm3", "none")
    assert all(row["p"] == row["corrected_p"] for row in rows)


@pytest.mark.parametrize("test", TESTS)
def test_every_test_gives_numbers_and_the_same_for_the_same_seed(table, capsys, test):
    first, second = (
        printed(capsys, "compare", "--matrix", table, "--test", test, "--seed", "3", "--format", "csv") for _ in "ab"
    )
    assert first == second
    assert all(0 < float(row["p"]) <= float(row["corrected_p"]) <= 1 for row in csv.DictReader(first.splitlines()))


def test_runs_are_compared_on_the_topics_that_all_have(runs, capsys):
    paths = [runs[name] for name in ("first", "second", "third")]
    out = printed(capsys, "compare", *paths, "--qrels", runs["qrels"], "-m", "RR", "-m", "P@1", "--baseline", paths[0])
    lines = out.splitlines()
    assert lines[0] == "RR: 3 systems on the same 2 topics, 2 pairs"
    assert lines[1] == "  topics that not every run has: 1 (not counted; -c counts those of the qrels as 0)"
    assert lines[5].split()[:5] == ["second", "first", "0.5000", "1.0000", "-0.5000"]
    assert "P@1: 3 systems" in out
    out = printed(capsys, "compare", *paths, "--qrels", runs["qrels"], "-m", "RR", "-c")
    assert out.startswith("RR: 3 systems on the same 3 topics, 3 pairs\n  paired")


TIED = {
    "one": {"1": {"a": 3.0, "b": 2.0, "c": 2.0, "d": 2.0, "x": 2.0, "e": 1.0}, "2": {"x": 2.0, "y": 1.0, "a": 1.0, "b": 0.0}},
    "two": {"1": {"x": 3.0, "e": 1.0, "a": 1.0, "y": 1.0}, "2": {"b": 1.0, "y": 1.0, "a": 1.0, "z": 0.5}},
}
JUDGED = {"1": {"a": 0, "b": 1, "c": 2, "d": 0, "e": 1}, "2": {"a": 1, "b": 0, "c": 2}}


def ordered(topic: str, scores: dict[str, float], ties: str) -> list[str]:
    """trec_eval's order, or that with the highest grade of equals first or last."""
    sign = {"profile": 0, "best": 1, "worst": -1}[ties]
    names = sorted(scores, reverse=True)
    return sorted(names, key=lambda docno: (scores[docno], sign * JUDGED[topic].get(docno, -9)), reverse=True)


@pytest.mark.parametrize(
    ("options", "depth", "judged_only", "ties"),
    [
        ([], None, False, "profile"),
        (["-M", "3"], 3, False, "profile"),
        (["-J"], None, True, "profile"),
        (["-M", "3", "-J"], 3, True, "profile"),
        (["--ties", "best"], None, False, "best"),
        (["--ties", "worst", "-M", "2", "-J"], 2, True, "worst"),
    ],
)
def test_what_is_compared_is_cut_condensed_and_ordered_as_trec_eval_would(tmp_path, capsys, options, depth, judged_only, ties):
    paths = [
        write(tmp_path / name, *(f"{topic} Q0 {d} 0 {score} {name}" for topic in run for d, score in run[topic].items()))
        for name, run in TIED.items()
    ]
    qrels = write(tmp_path / "qrels", *(f"{topic} 0 {d} {grade}" for topic in JUDGED for d, grade in JUDGED[topic].items()))
    arguments = [*map(str, paths), "--qrels", str(qrels), "-m", "AP", "-m", "nDCG@2", "-m", "P@2", "--format", "json", *options]
    lines = map(json.loads, printed(capsys, "compare", *arguments).splitlines())
    theirs = pytrec_eval.RelevanceEvaluator(JUDGED, {"map", "ndcg_cut.2", "P.2"}, judged_docs_only_flag=judged_only)
    for comparison, name in zip(lines, ("map", "ndcg_cut_2", "P_2"), strict=True):
        assert (comparison["depth"], comparison["judged_only"], comparison["ties"]) == (depth, judged_only, ties)
        for system, run in TIED.items():
            cut = {topic: ranked(ordered(topic, scores, ties)[:depth]) for topic, scores in run.items()}
            expected = np.mean([values[name] for values in theirs.evaluate(cut).values()])
            assert comparison["means"][system] == pytest.approx(expected, abs=1e-12), (name, system)


def test_the_table_names_unusual_rules(runs, capsys):
    arguments = [runs["first"], runs["second"], "--qrels", runs["qrels"], "-m", "AP", "-M2", "-J", "--ties", "worst"]
    assert printed(capsys, "compare", *arguments).splitlines()[0] == (
        "AP: 2 systems on the same 3 topics, 1 pairs, first 2 documents, judged documents only, worst order of tied documents"
    )


def test_measures_of_diversity_see_the_subtopics(tmp_path, capsys):
    qrels = write(tmp_path / "qrels", "1 1 a 1", "1 2 b 1")
    runs = [str(write(tmp_path / name, f"1 Q0 {name} 1 1 t")) for name in "ab"]
    out = printed(capsys, "compare", *runs, "--qrels", str(qrels), "-m", "StRecall@1", "--format", "json")
    assert json.loads(out)["means"] == {"a": 0.5, "b": 0.5}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_come_with_any_separator_named_topics_or_none(tmp_path, separator):
    named = read_scores(write(tmp_path / "named", *(line.replace(",", separator) for line in TABLE)))
    assert (named.topics, named.systems) == (("1", "2", "3", "4"), ("bm25", "rm3", "dense"))
    plain = read_scores(write(tmp_path / "plain", *(separator.join(line.split(",")[1:]) for line in TABLE)))
    assert (plain.topics, plain.systems) == (named.topics, named.systems)
    assert np.array_equal(named.values, VALUES) and np.array_equal(plain.values, VALUES)


def test_tables_come_compressed_and_as_parquet(table, tmp_path):
    text = (tmp_path / "scores.csv").read_bytes()
    (tmp_path / "scores.gz").write_bytes(gzip.compress(text))
    pl.read_csv(table).write_parquet(tmp_path / "scores.parquet")
    for name in ("scores.gz", "scores.parquet"):
        scores = read_scores(tmp_path / name)
        assert (scores.topics, scores.systems, scores.values.tolist()) == (
            tuple("1234"),
            ("bm25", "rm3", "dense"),
            VALUES.tolist(),
        )


def test_standard_input(table):
    command = [sys.executable, "-m", "ireval", "compare", "--matrix", "-", "--format", "json"]
    done = subprocess.run(command, input="\n".join(TABLE).encode(), capture_output=True, check=True)
    assert json.loads(done.stdout)["n"] == 4


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["topic,a,b", "1,0.5,x", "2,0.5"], "bad, line 2: column b is \"x\"; expected a number\nbad, line 3: expected 3 columns (topic, a, b, …), found 2"),  # noqa: E501
        (["topic,a,b", "1,nan,0.5"], 'bad, line 2: column a is "nan"; expected a number'),
        (["topic,a,b", "1,,0.5"], 'bad, line 2: column a is ""; expected a number'),
        (["topic,a,b", "1,1,1", "1,1,1"], "bad, line 3: topic 1 is there twice"),
        (["topic,a,a", "1,1,1"], "bad, line 1: column a is there twice; expected each system once"),
        (["0.1,0.2", "0.3,0.4"], "bad, line 1: expected a header: topic, then one column a system"),
        (["topic,a,b"], "bad: holds no topics; expected a header with the systems and one row per topic"),
        ([], "bad: is empty; expected a header with the systems and one row per topic"),
    ],
)  # fmt: skip
def test_bad_tables_are_named_with_their_lines(tmp_path, capsys, lines, expected):
    assert complaint(capsys, "compare", "--matrix", str(write(tmp_path / "bad", *lines))) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"topic": ["1", "1"], "a": [0.1, 0.2]}, "row 2: column topic is 1, which is there twice; expected each once"),
        ({"topic": ["1", "2"], "a": ["x", "y"]}, "column a is of type String; expected numbers"),
        ({"topic": ["1", "2"], "a": [None, 0.5]}, "row 1: column a is empty; expected a finite number: fill it in"),
        ({"topic": [], "a": []}, "holds no rows"),
    ],
)
def test_bad_parquet_is_named_with_its_columns(tmp_path, capsys, columns, expected):
    pl.DataFrame(columns).write_parquet(tmp_path / "bad.parquet")
    assert complaint(capsys, "compare", "--matrix", str(tmp_path / "bad.parquet")).startswith(f"bad.parquet: {expected}")


def test_mistakes_are_explained(table, runs, capsys):
    first, second, qrels = runs["first"], runs["second"], runs["qrels"]
    expected = "expected two or more runs with --qrels and -m, or --matrix with a table of values"
    assert complaint(capsys, "compare", first, "--qrels", qrels, "-m", "AP") == expected
    assert complaint(capsys, "compare", first, second, "-m", "AP") == expected
    assert (
        complaint(capsys, "compare", first, first, "--qrels", qrels, "-m", "AP")
        == f"{first} is given twice; expected each run once"
    )
    assert complaint(capsys, "compare", first, second, "--qrels", qrels, "-m", "NumQ").startswith(
        "NumQ is a figure over all topics"
    )
    assert complaint(capsys, "compare", first, "--matrix", table).startswith("--matrix holds values already")
    assert complaint(capsys, "compare", "--matrix", table, "-J").startswith("--matrix holds values already")
    assert (
        complaint(capsys, "compare", "--matrix", table, "--baseline", "x")
        == "there is no system x; expected one of bm25, rm3, dense"
    )
    assert complaint(capsys, "compare", "--matrix", table, "--test", "tukey", "--correction", "holm").startswith(
        "the test tukey is corrected"
    )
    assert complaint(capsys, "compare", "--matrix", "nowhere") == "nowhere: No such file or directory"
    for option in (["--confidence", "95"], ["--resamples", "0"], ["--seed", "-1"], ["--test", "z"]):
        with pytest.raises(SystemExit) as ended:
            main(["compare", "--matrix", table, *option])
        assert ended.value.code == 2
        assert option[0] in capsys.readouterr().err


def test_scores_are_the_evaluations_on_shared_topics():
    qrels = qrels_of({topic: {"a": 1, "b": 2} for topic in "123"})
    runs = {"x": run_of({"1": ranked("ab"), "2": ranked("ba")}), "y": run_of({"2": ranked("ab"), "3": ranked("ab")})}
    measure = parse_measure("nDCG")
    scores = scores_of({name: evaluate(run, qrels, [measure]) for name, run in runs.items()}, measure)
    assert (scores.topics, scores.systems, scores.left_out) == (("2",), ("x", "y"), 2)
    assert scores.values[0, 0] == 1 > scores.values[0, 1]


def measures_with_topics():
    """One measure of each kind that has a value for each topic, and the ratios of two means."""
    kinds = [kind for kind in MEASURES.values() if not kind.only_over_all]
    given = {kind: {parameter.name: parameter.example for parameter in kind.asks} for kind in kinds}
    micro = [kind(**given[kind], average="micro") for kind in kinds if kind.divides_by]
    return [*(parse_measure(kind.example) for kind in kinds), *micro]


@pytest.mark.parametrize("measure", measures_with_topics(), ids=str)
def test_means_are_the_evaluations_over_the_shared_topics(measure):
    qrels = qrels_of({"1": {"a": 1, "b": 2}, "2": {"a": 3, "b": 1, "c": 2}, "3": {"a": 1, "c": 0}, "4": {"b": 1}})
    runs = {
        "x": run_of({"1": ranked("abd"), "2": ranked("bad"), "3": ranked("ca")}),
        "y": run_of({"2": ranked("dacb"), "3": ranked("acd"), "4": ranked("b")}),
    }
    scores = scores_of({name: evaluate(run, qrels, [measure]) for name, run in runs.items()}, measure)
    shared = qrels.filter(pl.col("topic").is_in(["2", "3"]))
    n = 2 if measure.kind.aggregate == "sum" else 1
    expected = [evaluate(run, shared, [measure]).means()[str(measure)] / n for run in runs.values()]
    assert scores.means.tolist() == pytest.approx(expected)
    macro = scores_of({name: evaluate(run, qrels, "nDCG") for name, run in runs.items()}, "nDCG")
    if str(measure) == "nDCG(average='micro')":
        assert scores.means.tolist() != pytest.approx(macro.means.tolist())
        assert scores.largest_difference == np.inf, "a topic's part in the ratio has no limit of its own"


def test_scores_refuse_what_cannot_be_compared():
    with pytest.raises(BadComparison, match="several systems called a"):
        Scores(("1",), ("a", "a"), np.zeros((1, 2)))
    with pytest.raises(BadComparison, match="expected a number for each"):
        Scores(("1",), ("a", "b"), np.array([[0, np.nan]]))
    with pytest.raises(BadComparison, match="there is only a; expected at least two"):
        compare(Scores(("1",), ("a",), np.zeros((1, 1))))


@pytest.mark.parametrize("test", TESTS)
def test_without_topics_there_is_nothing_to_say(test):
    comparison = compare(Scores((), ("a", "b"), np.empty((0, 2))), test)
    assert np.isnan([comparison.p, comparison.low, comparison.difference, comparison.g, comparison.corrected]).all()


@pytest.mark.parametrize("test", [name for name, test in TESTS.items() if not test.joint])
def test_a_pairs_p_does_not_depend_on_the_other_pairs(test, monkeypatch):
    values = np.random.default_rng(1).normal(0, 1, (20, 5))
    rules = Rules(resamples=300)
    every = compare(Scores(tuple(map(str, range(20))), tuple("abcde"), values), test, correction="none", rules=rules)
    two = compare(Scores(tuple(map(str, range(20))), ("b", "d"), values[:, [1, 3]]), test, rules=rules)
    here = (every.pairs.first == 1) & (every.pairs.second == 3)
    assert every.p[here] == two.p and every.low[here] == pytest.approx(two.low)
    monkeypatch.setattr("ireval.significance.pairs.TABLE", 60)
    assert compare(every.scores, test, rules=rules).p.tolist() == every.p.tolist()


@pytest.mark.parametrize("test", ["t", "randomisation", "tukey", "randomised-tukey"])
@pytest.mark.parametrize("correction", ["holm", "bh", "bonferroni", "none"])
def test_an_interval_leaves_out_0_just_where_the_corrected_p_is_below_alpha(test, correction):
    told = 0
    for seed in range(20):
        values = np.random.default_rng(seed).normal([0, 0.2, 0.5, 0.6], 1, (12, 4))
        scores = Scores(tuple(map(str, range(12))), tuple("abcd"), values)
        comparison = compare(scores, test, correction=None if TESTS[test].joint else correction, rules=Rules(resamples=400))
        leaves_out_0 = (comparison.low > 0) | (comparison.high < 0)
        assert leaves_out_0.tolist() == (comparison.corrected < 0.05).tolist()
        told += leaves_out_0.sum()
    assert 0 < told < 100


def test_runs_are_correlated_topic_by_topic(runs, capsys):
    out = printed(
        capsys, "correlate", runs["first"], runs["third"], "--method", "kendall", "--method", "rbo", "--p", "0.5"
    ).splitlines()
    assert out[0] == f"A {runs['first']}, B {runs['third']}: 2 topics in both"
    assert out[1].split() == ["topic", "n", "only", "A", "only", "B", "kendall", "rbo(p=0.5)"]
    assert out[2].split()[:5] == ["1", "4", "0", "0", "-1.0000"]
    assert out[4].split()[:2] == ["mean", "-1.0000"]
    content = json.loads(printed(capsys, "correlate", runs["first"], runs["second"], "--format", "json"))
    assert content["means"]["kendall"] == {
        "value": pytest.approx(2 / 3),
        "low": pytest.approx(2 / 3),
        "high": pytest.approx(2 / 3),
        "n": 3,
    }
    assert content["per_topic"][0]["overlap@10"] == 1
    rows = list(csv.DictReader(printed(capsys, "correlate", runs["first"], runs["second"], "--format", "csv").splitlines()))
    assert [row["topic"] for row in rows] == ["1", "2", "3", "all"]


def test_ranks_and_pairs_are_listed(runs, capsys):
    """abcd against bacd: one pair changes places."""
    of_two = ("correlate", runs["first"], runs["second"], "--topic", "1")
    lines = printed(capsys, *of_two, "--list", "ranks").splitlines()
    assert lines[0].endswith("4 in both, Σ|d| = 2, Σd² = 2")
    assert [line.split() for line in lines[1:3]] == [["thing", "first", "second", "difference"], ["a", "1", "2", "-1"]]
    assert printed(capsys, *of_two, "--list", "discordant", "--format", "csv") == "upper,lower,agreement\na,b,discordant\n"
    assert "1 concordant, 1 discordant" not in printed(capsys, *of_two, "--list", "pairs", "--top", "2")
    assert len(json.loads(printed(capsys, *of_two, "--list", "pairs", "--top", "3", "--format", "json"))) == 3


def test_systems_are_listed_by_their_scores(tmp_path, capsys):
    first = str(write(tmp_path / "a.csv", "system,score", "x,0.1", "y,0.2", "z,0.3"))
    second = str(write(tmp_path / "b.csv", "system,score", "x,0.5", "y,0.7", "z,0.7"))
    lines = printed(capsys, "correlate", first, second, "--list", "ranks").splitlines()
    assert [line.split() for line in lines[2:5]] == [["z", "1", "1.5", "-0.5"], ["y", "2", "1.5", "0.5"], ["x", "3", "3", "0"]]


def test_what_is_listed_needs_a_topic_of_both_runs(runs, capsys):
    of_two = ("correlate", runs["first"], runs["third"])
    assert complaint(capsys, *of_two, "--list", "pairs") == "first is a run: name one of its topics with --topic"
    assert complaint(capsys, *of_two, "--list", "pairs", "--topic", "3") == "third has no topic 3"
    assert complaint(capsys, *of_two, "--topic", "1") == "--topic and --top go with --list"


def test_systems_are_correlated_by_their_scores(tmp_path, capsys):
    first = write(tmp_path / "a.csv", "system,score", "x,0.1", "y,0.2", "z,0.3")
    second = write(tmp_path / "b.tsv", "mean\tnote\trun", "0.5\t-\tx", "0.4\t-\tz", "0.4\t-\tnew", "0.7\t-\ty")
    content = json.loads(printed(capsys, "correlate", str(first), str(second), "--format", "json"))
    assert (content["n"], content["only_first"], content["only_second"]) == (3, 0, 1)
    assert content["kendall"] == pytest.approx(-1 / 3)
    pl.read_csv(second, separator="\t").write_parquet(tmp_path / "b.parquet")
    again = json.loads(printed(capsys, "correlate", str(first), str(tmp_path / "b.parquet"), "--format", "json"))
    assert again["kendall"] == content["kendall"]
    assert printed(capsys, "correlate", str(first), str(second), "--method", "kendall").splitlines()[1:] == [
        "  n  only A  only B  kendall", "  3  0       1       -0.3333", "",
    ]  # fmt: skip
    assert printed(capsys, "correlate", str(first), str(second), "--method", "kendall", "--format", "csv").startswith(
        "n,only_first,"
    )


def test_runs_are_correlated_as_parquet_and_from_standard_input(runs, tmp_path):
    from ireval import read_run, write_run

    write_run(read_run(runs["first"]), tmp_path / "first.parquet")
    command = [sys.executable, "-m", "ireval", "correlate", str(tmp_path / "first.parquet"), "-", "--format", "json"]
    with open(runs["first"], "rb") as text:
        done = subprocess.run(command, input=gzip.compress(text.read()), capture_output=True, check=True)
    assert json.loads(done.stdout)["means"]["rbo(p=0.9)"]["value"] == pytest.approx(1)


def test_bad_orderings_are_explained(runs, tmp_path, capsys):
    table = str(write(tmp_path / "good.csv", "system,score", "x,1", "y,2"))
    assert (
        complaint(capsys, "correlate", table, runs["first"])
        == "first is a run and good.csv a table of systems; expected two of the same kind"
    )
    bad = str(write(tmp_path / "bad", "system,score", "x,high", "x,2", "y", ",3"))
    assert complaint(capsys, "correlate", bad, table).splitlines() == [
        'bad, line 2: score is "high"; expected a number',
        "bad, line 3: system x is there twice",
        "bad, line 4: expected 2 columns, found 1",
        "bad, line 5: has no system",
    ]
    other = str(write(tmp_path / "other", "a,b", "1,2"))
    assert (
        complaint(capsys, "correlate", other, table)
        == "other, line 1: expected a run, or a header with the columns system and score"
    )
    assert complaint(capsys, "correlate", str(write(tmp_path / "none")), table).startswith("none: is empty; expected a run, or")
    assert complaint(capsys, "correlate", str(write(tmp_path / "head", "system,score")), table) == "head: holds no systems"
    pl.DataFrame({"system": ["x"], "note": [1]}).write_parquet(tmp_path / "odd.parquet")
    assert complaint(capsys, "correlate", str(tmp_path / "odd.parquet"), table).startswith(
        "odd.parquet: has columns system, note; expected"
    )
    assert complaint(capsys, "correlate", table, table, "--p", "1") == "--p is 1; expected a number between 0 and 1"
    assert complaint(capsys, "correlate", table, table, "--depth", "0") == "--depth is 0; expected a whole number from 1"


def test_neither_command_needs_django(table):
    code = (
        "import sys; sys.modules['django'] = None; from ireval.cli.main import main; "
        f"main(['compare', '--matrix', {table!r}]); "
        "assert not [name for name in sys.modules if name.startswith(('django.', 'judging', 'ireval_site'))]"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
