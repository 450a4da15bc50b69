"""A report as files: at full precision, under the collection's own names, and in trec_eval's own format."""

import csv
import io
import json

import polars as pl
import pytest

from ireval import ENGINE_VERSION, write_qrels
from ireval.cli.main import main
from judging.collections.downloads import run_file
from judging.collections.storage import qrels_frame, run_frame, store_qrels, store_run
from metrics.kinds.runs.files import TABLES
from metrics.kinds.runs.results import outcomes

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def report_of(ask, compute):
    return lambda question: compute(ask(**question))


def test_means_as_csv(rita, report):
    response = rita.get(f"/reports/{report.pk}/download/means.csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="2-runs-under-ornithologists-means.csv"'
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    assert [(row["qrels"], row["run"], row["topics"]) for row in rows] == [
        ("ornithologists", "alpha", "2"),
        ("ornithologists", "beta", "2"),
    ]
    for row, outcome in zip(rows, outcomes(report), strict=True):
        assert float(row["nDCG@10"]) == outcome.means["nDCG@10"].mean
        assert float(row["nDCG@10 low"]) == outcome.means["nDCG@10"].low


def test_no_interval_leaves_the_measures_range(rita, report):
    """Of two topics, whose intervals by Student's t reach beyond it."""
    means, differences = (
        list(csv.DictReader(io.StringIO(rita.get(f"/reports/{report.pk}/download/{name}.csv").content.decode())))
        for name in ("means", "differences")
    )
    assert (float(means[0]["AP low"]), float(means[0]["AP high"])) == (0, 1)
    assert min(float(row["low"]) for row in differences) == -1
    assert max(float(row["high"]) for row in differences) == 1


def test_topics_as_csv(rita, report):
    rows = list(csv.DictReader(io.StringIO(rita.get(f"/reports/{report.pk}/download/topics.csv").content.decode())))
    assert [(row["run"], row["topic"]) for row in rows] == [("alpha", "1"), ("alpha", "2"), ("beta", "1"), ("beta", "2")]
    assert sum(float(row["AP"]) for row in rows[:2]) / 2 == pytest.approx(outcomes(report)[0].means["AP"].mean)


def test_curves_as_csv(rita, report):
    rows = list(csv.DictReader(io.StringIO(rita.get(f"/reports/{report.pk}/download/curves.csv").content.decode())))
    beta = [row for row in rows if row["run"] == "beta" and row["curve"] == "nDCG"]
    assert [float(row["x"]) for row in beta] == list(range(1, 101))
    assert float(beta[9]["value"]) == pytest.approx(outcomes(report)[1].means["nDCG@10"].mean)
    assert {row["qrels"] for row in rows} == {"ornithologists"}


def test_everything_as_json(rita, report, qrels, runs):
    content = rita.get(f"/reports/{report.pk}/download/report.json").json()
    assert content["qrels"] == [{"id": qrels.pk, "name": "ornithologists", "sha256": qrels.sha256}]
    assert (content["profile"], content["topics"], content["relevant_from"], content["engine"]) == (
        "trec_eval-9",
        "both",
        1,
        ENGINE_VERSION,
    )
    first = content["results"][0]
    assert (first["run"], first["topics"]) == ("alpha", ["1", "2"])
    assert sum(first["values"]["AP"]) / 2 == pytest.approx(first["means"]["AP"]["mean"])
    assert len(first["interpolated_precision"]) == 11


def test_qrels_come_in_the_order_of_the_question(rita, collection, qrels, ask, compute):
    amateurs = store_qrels(qrels_frame(qrels), collection=collection, name="amateurs", by=collection.owner)
    assert amateurs.pk > qrels.pk
    report = compute(ask(qrels=[qrels, amateurs]))
    content = rita.get(f"/reports/{report.pk}/download/report.json").json()
    assert [part["name"] for part in content["qrels"]] == ["amateurs", "ornithologists"]
    expected = [(name, run) for name in ("amateurs", "ornithologists") for run in ("alpha", "beta")]
    assert [(part["qrels"], part["run"]) for part in content["results"]] == expected
    rows = csv.DictReader(io.StringIO(rita.get(f"/reports/{report.pk}/download/means.csv").content.decode()))
    assert [(row["qrels"], row["run"]) for row in rows] == expected


def test_a_spreadsheet_takes_no_name_for_a_formula(rita, collection, runs, ask, compute):
    evil = store_run(run_frame(runs[0]), collection=collection, name="=cmd|'/c calc'!A1", by=collection.owner)
    report = compute(ask(runs=[evil]))
    rows = list(csv.reader(io.StringIO(rita.get(f"/reports/{report.pk}/download/means.csv").content.decode())))
    assert rows[1][1].startswith("'=")
    assert evil.name in json.loads(rita.get(f"/reports/{report.pk}/download/report.json").content)["results"][0]["run"]
    response = rita.get(f"/reports/{report.pk}/trec/{report.spec['qrels'][0]['id']}/{evil.pk}")
    assert response["Content-Disposition"].count('"') == 2


@pytest.mark.parametrize(
    "question", [{"measures": "official ndcg_cut.10"}, {"measures": "map P.5 RBP", "topics": "qrels", "relevant_from": 2}]
)
def test_trec_evals_format_is_what_the_command_line_prints(rita, report_of, tmp_path, capsys, question):
    report = report_of(question)
    part = report.parts.last()
    run, qrels = part.run, part.qrels
    shown = rita.get(f"/reports/{report.pk}/trec/{qrels.pk}/{run.pk}").content.decode()
    (tmp_path / "beta").write_bytes(b"".join(run_file(run, "trec")))
    with (tmp_path / "qrels").open("wb") as file:
        write_qrels(qrels_frame(qrels), file, "trec")
    flags = [*(["-c"] if question.get("topics") else []), "-l", str(question.get("relevant_from", 1))]
    arguments = ["evaluate", str(tmp_path / "qrels"), str(tmp_path / "beta"), "-q", *flags, "--format", "trec"]
    assert main([*arguments, *(word for name in report.spec["measures"] for word in ("-m", name))]) == 0
    assert shown == capsys.readouterr().out
    assert "\nmap                   \tall\t" in shown


def test_what_does_not_exist_is_not_found(rita, ask, report, runs, qrels):
    waiting = ask(measures="AP")
    missing = [
        f"/reports/{report.pk}/download/means.xls",
        f"/reports/{waiting.pk}/download/means.csv",
        f"/reports/{waiting.pk}/trec/{qrels.pk}/{runs[0].pk}",
        f"/reports/{report.pk}/trec/{qrels.pk}/0",
    ]
    assert [rita.get(path).status_code for path in missing] == [404] * 4


@pytest.mark.parametrize("name", TABLES)
def test_parquet_has_the_rows_of_the_csv(rita, report, name):
    response = rita.get(f"/reports/{report.pk}/download/{name}.parquet")
    assert response["Content-Type"] == "application/vnd.apache.parquet"
    frame = pl.read_parquet(io.BytesIO(response.content))
    head, *rows = csv.reader(io.StringIO(rita.get(f"/reports/{report.pk}/download/{name}.csv").content.decode()))
    assert frame.columns == head
    assert [["" if value is None else str(value) for value in row] for row in frame.iter_rows()] == rows
    by_program = rita.get(f"/api/v1/reports/{report.pk}/download/?file={name}.parquet")
    assert by_program.content == response.content
