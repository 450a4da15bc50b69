"""NIST's own suite: what trec_eval 10 prints for its test files, line by line, under the profile of that release.

Left out is what docs/trec_eval.md says is not offered: relstring, which is no number; rbp and rbp_resid by these names; and the
files that evaluate preferences (out.test.prefs, out.test.qrels_prefs). What trec_eval has an option for and we a line of code
(z-scores, averages over groups of judges, means at any recall points) is computed here from our values.
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from metrics.cli import main
from metrics.engine import Evaluation, evaluate, parse_measures, read_qrels, read_run
from metrics.engine.trec_output import trec_lines

from .builders import write


@pytest.fixture
def suite(shared_data) -> Path:
    return shared_data / "trec_eval" / "test"


def lines_of(path: Path) -> Iterator[tuple[str, str, str]]:
    """Measure, topic and value as printed."""
    for line in path.read_text().splitlines():
        name, topic, value = line.split("\t")
        yield name.strip(), topic, value


def is_offered(name: str) -> bool:
    return not name.startswith(("relstring", "rbp", "Zrbp"))


def by_release_ten(suite: Path, run: str, qrels: str | Path, names: list[str], **rules) -> Evaluation:
    return evaluate(read_run(suite / run), read_qrels(suite / qrels), names, profile="trec_eval-10", **rules)


@pytest.mark.parametrize(
    ("expected", "qrels", "run", "rules", "left_out"),
    [
        ("out.test", "qrels.test", "results.test", {}, 0),
        ("out.test", "qrels.test.with-comments", "results.test", {}, 0),
        ("out.comment.test", "qrels.comment.test", "results.comment.test", {}, 0),
        ("out.test.a", "qrels.test", "results.test", {}, 2),
        ("out.test.aq", "qrels.test", "results.test", {}, 4 * 2 + 3),
        ("out.test.aqc", "qrels.test", "results.trunc", {"topics": "qrels"}, 4 * 2 + 3),
        ("out.test.aqcM", "qrels.test", "results.trunc", {"topics": "qrels", "depth": 100}, 4 * 2 + 3),
        ("out.test.aql", "qrels.rel_level", "results.test", {"relevant_from": 2}, 4 * 2 + 3),
    ],
)
def test_every_line_of_a_measure_we_offer(suite, *, expected, qrels, run, rules, left_out):
    printed = (suite / expected).read_text().splitlines()
    wanted = [line for line in printed if is_offered(line)]
    names = list(dict.fromkeys(name for name, _, _ in lines_of(suite / expected) if is_offered(name)))
    evaluation = by_release_ten(suite, run, qrels, [name for name in names if name != "runid"], **rules)
    per_topic = any(topic != "all" for _, topic, _ in lines_of(suite / expected))
    tag = "comment.test" if "comment" in expected else "STANDARD"
    assert list(trec_lines(evaluation, tag if "runid" in names else None, per_topic=per_topic)) == wanted
    assert len(printed) - len(wanted) == left_out


def test_all_of_its_measures_under_one_name(suite, capsys):
    assert main(["evaluate", str(suite / "qrels.test"), str(suite / "results.test"), "-m", "all_trec", "--format", "trec"]) == 0
    printed = {line.split("\t")[0].strip() for line in capsys.readouterr().out.splitlines()}
    assert printed == {name for name, _, _ in lines_of(suite / "out.test.a") if is_offered(name)}


def test_every_line_with_parameters(suite):
    """It prints with an underscore what was asked for with a dot; several parameters are only read with the dot."""
    ours = {"utility_2,-1,0,0": "utility.2,-1,0,0"}
    lines = [line for line in lines_of(suite / "out.test.meas_params") if not line[0].startswith("11pt_avg")]
    evaluation = by_release_ten(suite, "results.test", "qrels.test", [ours.get(name, name) for name, _, _ in lines])
    found = {topic: row for topic, *row in evaluation.values.rows()} | {"all": list(evaluation.means().values())}
    columns = {name: place for place, name in enumerate(map(str, evaluation.measures))}
    for name, topic, value in lines:
        [measure] = parse_measures(ours.get(name, name))
        assert f"{found[topic][columns[str(measure)]]:.4f}" == value, (name, topic)
    assert len(lines) == 4 * 21


def test_the_mean_at_any_points_of_recall_is_a_mean(suite):
    values = by_release_ten(suite, "results.test", "qrels.test", ["IPrec@.25", "IPrec@.5", "IPrec@.75"]).values
    means = values.select("topic", mean=pl.mean_horizontal(pl.exclude("topic")))
    expected = {topic: value for name, topic, value in lines_of(suite / "out.test.meas_params") if name.startswith("11pt_avg")}
    assert {topic: f"{mean:.4f}" for topic, mean in means.rows()} | {"all": f"{means['mean'].mean():.4f}"} == expected


def test_rank_biased_precision_where_topics_share_their_highest_grade(suite):
    evaluation = by_release_ten(suite, "results.test", "qrels.test", ["RBP(p=0.9)", "RBPResidual(p=0.9)"])
    found = {topic: row for topic, *row in evaluation.values.rows()} | {"all": list(evaluation.means().values())}
    lines = [line for line in lines_of(suite / "out.test.aq") if line[0].startswith("rbp")]
    for name, topic, value in lines:
        assert f"{found[topic][name == 'rbp_resid']:.4f}" == value, (name, topic)
    assert len(lines) == 4 * 2


def test_z_scores_follow_from_the_values(suite):
    """-Z: how many standard deviations a value is above the mean of other runs on its topic, which a file gives."""
    rows = [line.split() for line in (suite / "zscores_file").read_text().splitlines()]
    usual = {(topic, name): (float(mean), float(deviation)) for topic, name, mean, deviation in rows}
    wanted = {(topic, name.removeprefix("Z")): value for name, topic, value in lines_of(suite / "out.test.aqZ") if name[0] == "Z"}
    names = list(dict.fromkeys(name for topic, name in wanted if topic != "all" and is_offered(name)))
    evaluation = by_release_ten(suite, "results.test", "qrels.test", names)
    scores = {name: [] for name in names}
    for row in evaluation.values.iter_rows(named=True):
        for name, measure in zip(names, map(str, evaluation.measures), strict=True):
            mean, deviation = usual[row["topic"], name]
            scores[name].append((row[measure] - mean) / deviation if deviation else 0)
            assert scores[name][-1] == pytest.approx(float(wanted[row["topic"], name]), abs=0.5e-4 + 1e-9), (row["topic"], name)
    for name, of_topics in scores.items():
        [measure] = parse_measures(name)
        assert sum(of_topics) / (1 if measure.kind.aggregate == "sum" else 3) == pytest.approx(
            float(wanted["all", name]), abs=0.5e-4 + 1e-9
        ), name


def test_averages_over_groups_of_judges_are_averages(suite, tmp_path):
    """-R qrels_jg: every group (second column of the qrels) gives a value for each topic; their mean is the topic's."""
    judged = [line.split() for line in (suite / "qrels.123").read_text().splitlines()]
    groups = sorted({group for _, group, _, _ in judged})
    names = ["map", "P", "Rprec_mult"]
    paths = [write(tmp_path / group, *(" ".join(line) for line in judged if line[1] == group)) for group in groups]
    values = [by_release_ten(suite, "results.test", path, names).values for path in paths]
    expected = [line for line in lines_of(suite / "out.test.qrels_jg") if "_avgjg" in line[0]]
    for name, topic, value in expected:
        [measure] = parse_measures(name.replace("_avgjg", ""))
        of_topic = [found.filter((pl.col("topic") == topic) | (topic == "all"))[str(measure)].mean() for found in values]
        assert sum(of_topic) / len(groups) == pytest.approx(float(value), abs=0.5e-4 + 1e-9), (name, topic)
    assert len(expected) == 4 * 20
