"""`python -m ireval`: what trec_eval's users type, and what they get."""

import csv
import gzip
import json
import subprocess
import sys

import pytest

from ireval.cli.main import main
from tests.ireval.builders import write
from tests.ireval.cli.commands import printed

QRELS = ["1 0 a 1", "1 0 b 0", "1 0 c 2", "2 0 a 1", "3 0 a 1"]
RUN = ["1 Q0 a 1 3 mine", "1 Q0 b 2 2 mine", "1 Q0 x 3 1 mine", "2 Q0 b 1 1 mine", "9 Q0 a 1 1 mine"]


@pytest.fixture
def files(tmp_path):
    return str(write(tmp_path / "qrels", *QRELS)), str(write(tmp_path / "run", *RUN))


def test_trecs_format_is_trec_evals_byte_for_byte(shared_data, capsys):
    folder = shared_data / "trec_eval" / "test"
    for expected, qrels, run in (("out.test", "qrels.test", "results.test"), ("out.comment.test",) * 3):
        paths = [str(folder / name.replace("out", "qrels")) if name == expected else str(folder / name) for name in (qrels, run)]
        if expected == "out.comment.test":
            paths = [str(folder / "qrels.comment.test"), str(folder / "results.comment.test")]
        assert (
            printed(capsys, "evaluate", *paths, "--profile", "trec_eval-10", "--format", "trec")
            == (folder / expected).read_text()
        )


def test_options_are_trec_evals(files, capsys):
    out = printed(
        capsys, "evaluate", *files, "--format", "trec", "-q", "-c", "-l2", "-M", "1", "-m", "map", "-mP.1,2", "-m", "num_q"
    )
    assert out.splitlines() == [
        *(f"{name:<22}\t{topic}\t0.0000" for topic in "123" for name in ("map", "P_1", "P_2")),
        f"{'num_q':<22}\tall\t3",
        *(f"{name:<22}\tall\t0.0000" for name in ("map", "P_1", "P_2")),
    ]


def test_only_judged_documents_may_count(tmp_path, capsys):
    qrels, run = write(tmp_path / "qrels", "1 0 b 1"), write(tmp_path / "run", "1 Q0 a 1 2 t", "1 Q0 b 2 1 t")
    out = printed(capsys, "evaluate", str(qrels), str(run), "-J", "-m", "RR", "--format", "trec")
    assert out == f"{'recip_rank':<22}\tall\t1.0000\n"


def test_the_ends_between_which_ties_leave_a_value_open(tmp_path, capsys):
    qrels, run = write(tmp_path / "qrels", "1 0 a 1"), write(tmp_path / "run", "1 Q0 a 1 1 t", "1 Q0 b 2 1 t")
    for ties, value in (("best", 1), ("worst", 0.5), ("profile", 0.5)):
        content = json.loads(printed(capsys, "evaluate", str(qrels), str(run), "--ties", ties, "-m", "RR", "--format", "json"))
        assert (content["measures"]["RR"]["value"], content["ties"]) == (value, ties)


def test_the_table_names_unusual_rules(files, capsys):
    out = printed(capsys, "evaluate", *files, "-M", "5", "-J", "--ties", "best", "-m", "AP")
    assert out.splitlines()[0].endswith("trec_eval-9, first 5 documents, judged documents only, best order of tied documents")


def test_the_table_says_what_was_counted(files, capsys):
    out = printed(capsys, "evaluate", *files, "-m", "AP", "-m", "num_ret")
    assert out.splitlines() == [
        f"{files[1]} (mine): 2 topics in run and qrels, relevant from grade 1, trec_eval-9",
        "  in the qrels but not in the run: 1 (not counted; -c counts them as 0)",
        "  in the run but not in the qrels: 1 (not counted)",
        "  with 2 topics intervals may be too narrow: 50 are needed",
        "  measure  topic  value   95 % interval",
        "  AP       all    0.2500  0.0000 to 1.0000",
        "  NumRet   all    4",
        "",
    ]


def test_json_has_everything_at_full_precision(files, capsys):
    content = json.loads(printed(capsys, "evaluate", *files, "-m", "nDCG@2", "-m", "num_ret", "-q", "--format", "json"))
    assert (content["n"], content["profile"], content["missing"], content["unjudged"]) == (2, "trec_eval-9", ["3"], ["9"])
    assert content["per_topic"][0] == {"topic": "1", "nDCG@2": pytest.approx(1 / (2 + 1 / 1.584962500721156)), "NumRet": 3}
    assert content["measures"]["NumRet"] == {"value": 4, "low": None, "high": None}


def test_csv_has_a_row_a_value_and_one_header(files, capsys):
    out = printed(capsys, "evaluate", files[0], files[1], files[1], "-m", "RR", "-q", "--format", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert [(row["topic"], row["measure"], row["value"], row["n"]) for row in rows] == [
        ("1", "RR", "1.0", ""), ("2", "RR", "0.0", ""), ("all", "RR", "0.5", "2"),
    ] * 2  # fmt: skip


def test_pool(files, capsys):
    assert printed(capsys, "pool", files[1], files[1], "--depth", "2").splitlines() == [
        "topic\tdocno\truns\tbest_rank", "1\ta\t2\t1", "1\tb\t2\t2", "2\tb\t2\t1", "9\ta\t2\t1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("ties", "drawn", "order"),
    [
        ([], "c", "by docno from the last to the first, as trec_eval orders them"),
        (["--ties", "trec_eval"], "c", "by docno from the last to the first, as trec_eval orders them"),
        (["--ties", "docno"], "a", "by docno from the first to the last"),
        (["--ties", "file"], "b", "as they stand in the file"),
    ],
)
def test_a_pool_says_how_it_orders_ties(tmp_path, capsys, ties, drawn, order):
    # The topic's lines do not stand together, and two scores are equal as 32-bit floats only.
    lines = ["1 Q0 low 1 .5 t", "1 Q0 b 2 .7 t", "2 Q0 x 1 1 t", "1 Q0 c 3 .70000000001 t", "1 Q0 a 4 .7 t", "1 Q0 top 5 9 t"]
    assert main(["pool", str(write(tmp_path / "run", *lines)), "--depth", "2", *ties]) == 0
    streams = capsys.readouterr()
    assert [line.split()[1] for line in streams.out.splitlines()[1:]] == ["top", drawn, "x"]
    assert streams.err == f"documents of equal score: {order}\n"


def test_measures_lists_the_catalogue(capsys):
    assert "nDCG: Normalised discounted cumulative gain (ndcg, ndcg_cut_k" in printed(capsys, "measures")
    entries = {entry["name"]: entry for entry in json.loads(printed(capsys, "measures", "--format", "json"))}
    assert entries["P"]["trec_eval"] == ["P_k"]
    assert entries["RBP"]["parameters"]["p"].startswith("persistence")
    assert "jk, the original" in entries["nDCG"]["parameters"]["dcg"]
    for entry in entries.values():
        assert entry["looks_at"] in {"set", "rank"}
        assert entry["gains"] in {"binary", "graded"}
        assert all(entry[field] for field in ("title", "formula", "citation", "degenerate"))


def test_a_ratio_of_averages_has_its_own_interval(files, capsys):
    out = printed(capsys, "evaluate", *files, "-m", "nDCG(average=micro)@2", "-m", "nDCG@2", "-c", "--format", "json")
    micro, macro = json.loads(out)["measures"].values()
    ratio = 1 / (2 + 1 / 1.584962500721156 + 1 + 1)
    assert (micro["value"], macro["value"]) == pytest.approx((ratio, 1 / (2 + 1 / 1.584962500721156) / 3))
    assert micro["low"] < micro["value"] < micro["high"]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (["-m", "mapp"], 'there is no measure "mapp"; did you mean AP'),
        (["nowhere"], "nowhere: No such file or directory"),
        ([f"{__file__}/run"], f"{__file__}/run: Not a directory"),
        (["a" * 300], "a" * 300 + ": File name too long"),
    ],
)
def test_mistakes_end_in_a_sentence_and_status_2(files, capsys, change, complaint):
    assert main(["evaluate", *files, *change]) == 2
    assert capsys.readouterr().err.startswith(complaint)


def test_a_bad_file_is_named_with_all_its_lines(files, tmp_path, capsys):
    bad = write(tmp_path / "bad.txt", "1 Q0 a 1 x t", "1 Q0 b 2")
    assert main(["evaluate", files[0], str(bad)]) == 2
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == ["bad.txt, line 1", "bad.txt, line 2"]


def run_process(*arguments: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], capture_output=True, check=False, **options)


def test_standard_input_compressed_or_not(files):
    text = "".join(line + "\n" for line in RUN).encode()
    for content in (text, gzip.compress(text)):
        done = run_process("-m", "ireval", "evaluate", files[0], "-", "-m", "RR", "--format", "trec", input=content)
        assert done.stdout.decode() == f"{'recip_rank':<22}\tall\t0.5000\n"


def test_a_bad_standard_input_is_called_so(files):
    done = run_process("-m", "ireval", "evaluate", files[0], "-", input=b"x\n")
    assert done.stderr.decode().startswith("standard input, line 1: expected 6 columns")
    assert done.returncode == 2


def test_output_that_cannot_be_written_is_an_error_in_a_line():
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "ireval", "measures"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr.decode()) == (2, "No space left on device\n")


def test_a_reader_that_has_seen_enough_is_no_error(files):
    script = f'{sys.executable} -m ireval measures | head -1; exit "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_no_django_is_needed(files):
    code = (
        "import sys; sys.modules['django'] = None; from ireval.cli.main import main; "
        f"main(['evaluate', {files[0]!r}, {files[1]!r}]); main(['measures']); "
        "main(['plan', '--sd', '0.1', '--topics', '50']); "
        "assert not [name for name in sys.modules if name.startswith(('django.', 'judging', 'ireval_site'))]"
    )
    done = run_process("-c", code)
    assert done.returncode == 0, done.stderr.decode()


def test_a_run_of_other_topics_is_an_error_and_no_nan(files, tmp_path, capsys):
    other = write(tmp_path / "other.run", "301 Q0 a 1 1 mine")
    assert main(["evaluate", files[0], str(other), "-m", "AP"]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert "other.run and the qrels share no topic: other.run has topic 301, the qrels have topic 1 and 2 more" in streams.err


def test_what_is_ignored_is_said_on_standard_error(files, tmp_path, capsys):
    run = write(tmp_path / "ranks", "1 Q0 a -1 3 mine", "1 Q0 b 2 2 mine")
    assert main(["evaluate", files[0], str(run), "-m", "RR"]) == 0
    assert capsys.readouterr().err == (
        'warning: ranks, line 1: column 4 (rank) is "-1"; it is ignored, as in trec_eval, and scores give the order\n'
    )
