"""NIST's own suite: what trec_eval 10 prints for its test files, line by line, under the profile of that release.

What trec_eval has an option or a name for and we a line of code (z-scores, averages over groups of judges, means at any recall
points, rbp) is computed here from our values. Left out is what docs/reference/trec_eval.md says, file by file; a test counts.
"""

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from ireval import Evaluation, evaluate, parse_measures, read_qrels, read_run
from ireval.cli.main import main
from ireval.measures.trec_output import trec_lines
from tests.ireval.builders import write


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


def test_every_line_with_parameters(suite, capsys):
    """It reads a cutoff of 23.4 as 23, which here is refused; 11pt_avg takes no parameters here."""
    names = ["iprec_at_recall..10,.20,.25,.75,.50", "P.5,7,3", "recall.20,2000", "Rprec_mult.5.0,0.2,0.35", "utility.2,-1,0,0"]
    names += ["ndcg.1=3,2=9,4=4.5", "ndcg_cut.10,20,23", "success.2,5,20"]
    paths = [str(suite / "qrels.test"), str(suite / "results.test")]
    options = ["--profile", "trec_eval-10", "--format", "trec", "-q", *(f"-m{name}" for name in names)]
    assert main(["evaluate", *paths, *options]) == 0
    lines = (suite / "out.test.meas_params").read_text().splitlines()
    wanted = [line for line in lines if not line.startswith("11pt_avg")]
    assert capsys.readouterr().out.splitlines() == wanted
    assert len(wanted) == 4 * 21


def test_the_mean_at_any_points_of_recall_is_a_mean(suite):
    values = by_release_ten(suite, "results.test", "qrels.test", ["IPrec@.25", "IPrec@.5", "IPrec@.75"]).values
    means = values.select("topic", mean=pl.mean_horizontal(pl.exclude("topic")))
    expected = {topic: value for name, topic, value in lines_of(suite / "out.test.meas_params") if name.startswith("11pt_avg")}
    assert {topic: f"{mean:.4f}" for topic, mean in means.rows()} | {"all": f"{means['mean'].mean():.4f}"} == expected


def rank_biased(suite: Path, qrels: str, run: str, **rules) -> dict[str, dict[str, float]]:
    """trec_eval's rbp and rbp_resid from ours: topic by topic, since it divides by the highest grade of each; a grade below 0
    is no judgement for it; and of a topic that the run lacks nothing is unjudged."""
    judged, retrieved = read_qrels(suite / qrels), read_run(suite / run)
    by_measure: dict[str, dict[str, float]] = {"rbp": {}, "rbp_resid": {}}
    for topic in judged["topic"].unique().sort():
        own = judged.filter(topic=topic, grade=pl.col("grade").clip(lower_bound=0))
        names = ["RBP(p=0.9)", "RBPResidual(p=0.9)"]
        own_rules = {**rules, "topics": "qrels", "may_share_none": True}
        evaluation = evaluate(retrieved, own, names, profile="trec_eval-10", **own_rules)
        gained, unjudged = evaluation.means().values()
        by_measure["rbp"][topic], by_measure["rbp_resid"][topic] = gained, 0 if evaluation.missing else unjudged
    for values in by_measure.values():
        values["all"] = sum(values.values()) / len(values)
    return by_measure


@pytest.mark.parametrize(
    ("expected", "qrels", "run", "rules"),
    [
        ("out.test.a", "qrels.test", "results.test", {}),
        ("out.test.aq", "qrels.test", "results.test", {}),
        ("out.test.aqc", "qrels.test", "results.trunc", {}),
        ("out.test.aqcM", "qrels.test", "results.trunc", {"depth": 100}),
        ("out.test.aql", "qrels.rel_level", "results.test", {"relevant_from": 2}),
    ],
)
def test_rank_biased_precision_follows_from_ours(suite, expected, qrels, run, rules):
    by_measure = rank_biased(suite, qrels, run, **rules)
    lines = [line for line in lines_of(suite / expected) if line[0].startswith("rbp")]
    for name, topic, value in lines:
        assert f"{by_measure[name][topic]:.4f}" == value, (name, topic)
    assert len(lines) == 2 * (1 if expected == "out.test.a" else 4)


def test_rank_biased_precision_of_all_at_once_where_topics_share_their_highest_grade(suite):
    [value] = by_release_ten(suite, "results.test", "qrels.test", ["RBP(p=0.9)"]).means().values()
    assert f"{value:.4f}" == next(value for name, _, value in lines_of(suite / "out.test.a") if name == "rbp")


def test_z_scores_follow_from_the_values(suite):
    """-Z: how many standard deviations a value is above the mean of other runs on its topic, which a file gives."""
    rows = [line.split() for line in (suite / "zscores_file").read_text().splitlines()]
    usual = {(topic, name): (float(mean), float(deviation)) for topic, name, mean, deviation in rows}
    wanted = {(topic, name.removeprefix("Z")): value for name, topic, value in lines_of(suite / "out.test.aqZ") if name[0] == "Z"}
    names = list(dict.fromkeys(name for topic, name in wanted if topic != "all"))
    offered = [name for name in names if is_offered(name)]
    evaluation = by_release_ten(suite, "results.test", "qrels.test", offered)
    values = evaluation.values
    assert next(trec_lines(evaluation, "STANDARD")) in (suite / "out.test.aqZ").read_text().splitlines()
    ours = {name: dict(zip(values["topic"], values.to_series(place), strict=True)) for place, name in enumerate(offered, 1)}
    ours |= rank_biased(suite, "qrels.test", "results.test")
    tested = 0
    for name in names:
        of_topics = []
        for topic in values["topic"]:
            mean, deviation = usual[topic, name]
            of_topics.append((ours[name][topic] - mean) / deviation if deviation else 0)
            assert of_topics[-1] == pytest.approx(float(wanted[topic, name]), abs=0.5e-4 + 1e-9), (topic, name)
        summed = is_offered(name) and parse_measures(name)[0].kind.aggregate == "sum"
        mean = sum(of_topics) / (1 if summed else 3)
        assert mean == pytest.approx(float(wanted["all", name]), abs=0.5e-4 + 1e-9), name
        tested += len(of_topics) + 1
    without_any = {("all", name): wanted["all", name] for name in ("num_q", "gm_map", "gm_bpref")}
    assert tested == len(wanted) - len(without_any)
    assert set(without_any.values()) == {"3.0000", "0.0000"}  # nothing but a count of topics


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
        of_topic = [frame.filter((pl.col("topic") == topic) | (topic == "all"))[str(measure)].mean() for frame in values]
        assert sum(of_topic) / len(groups) == pytest.approx(float(value), abs=0.5e-4 + 1e-9), (name, topic)
    assert len(expected) == 4 * 20
    evaluation = by_release_ten(suite, "results.test", "qrels.123", ["num_q"])
    rest = [line for line in (suite / "out.test.qrels_jg").read_text().splitlines() if "_avgjg" not in line]
    assert rest == list(trec_lines(evaluation, "STANDARD"))


def test_a_comment_is_a_line_that_begins_with_its_mark(suite):
    """Within an id it belongs to the id: each of these files has one such document."""
    for plain, commented in (("qrels.123", "qrels.comments.123"), ("qrels.test", "qrels.test.with-comments")):
        qrels = read_qrels(suite / commented)
        assert qrels["docno"].str.contains("#").sum() == 1
        assert qrels.with_columns(pl.col("docno").str.replace(r"#(37)?", "")).equals(read_qrels(suite / plain))


def how(file: str, name: str) -> str:
    """What docs/reference/trec_eval.md says of a line."""
    if "prefs" in file or name.startswith("relstring") or name in {"Znum_q", "Zgm_map", "Zgm_bpref"}:
        return "left out"
    return "computed" if name.startswith(("rbp", "Z", "11pt_avg_.")) or "_avgjg" in name else "printed"


def test_the_documentation_counts_every_line_of_every_expected_file(suite):
    page = (Path(__file__).parents[3] / "docs" / "reference" / "trec_eval.md").read_text(encoding="utf-8")
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("| `out.")]
    documented = {file: [int(number or 0) for number in numbers] for file, *numbers, _ in rows}
    counted = {}
    for path in suite.glob("out.*"):
        kinds = [how(path.name, name) for name, _, _ in lines_of(path)]
        counted[path.name] = [kinds.count(kind) for kind in ("printed", "computed", "left out")]
    assert documented == counted
