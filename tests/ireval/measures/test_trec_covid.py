"""The official figures of TREC-COVID's first round, which others computed from the same files."""

import csv

from ireval import Qrels, evaluate, parse_measures, read_qrels, read_run, run_facts

OFFICIAL = {"nDCG@10": "ndcg@10", "P@5": "p@5", "RBP(p=0.5)": "RBP(p=.5)", "Bpref": "bpref", "AP": "MAP"}


def test_the_leaderboard_is_reproduced_to_four_decimals(shared_data):
    """BERT, too: its scores tie as 32-bit floats, and only release 9 of trec_eval compares them so."""
    folder = shared_data / "trec_covid_r1"
    qrels = Qrels(read_qrels(folder / "qrels-rnd1.txt"))
    with (folder / "leaderboard.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if (folder / "runs" / f"{row['run']}.xz").exists()]
    assert len(rows) == 21
    for row in rows:
        run = read_run(folder / "runs" / f"{row['run']}.xz")
        means = evaluate(run, qrels, parse_measures(OFFICIAL), topics="qrels", depth=1000).means()
        assert {name: f"{means[name]:.4f}" for name in OFFICIAL} == {name: row[column] for name, column in OFFICIAL.items()}, row[
            "run"
        ]


def test_scores_decide_where_the_rank_column_contradicts_them(shared_data):
    run = read_run(shared_data / "trec_covid_r1" / "runs" / "UB_NLP_RUN_1.xz")
    assert run.row(0, named=True)["docno"] == "k05cdqlw"  # rank 815 in the file, and the highest score
    assert run_facts(run).topics == 30
