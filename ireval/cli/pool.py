"""`ireval pool`: the documents to judge."""

import argparse
import sys

from ireval.cli.evaluate import whole_number
from ireval.io.csv_rows import csv_of_frame
from ireval.io.rank_order import CUSTOMS
from ireval.io.runs import read_run
from ireval.pooling import pool


def add_pool(command: argparse.ArgumentParser) -> None:
    command.add_argument("runs", metavar="RUN", nargs="+")
    command.add_argument("--depth", metavar="K", type=whole_number(1), required=True, help="how many documents of each ranking")
    customs = "; ".join(f"{custom}: {meaning}" for custom, meaning in CUSTOMS.items())
    command.add_argument("--ties", choices=CUSTOMS, default="trec_eval", help=f"of equal scores (default %(default)s). {customs}")
    command.set_defaults(command=pool_runs)


def pool_runs(options: argparse.Namespace) -> None:
    """Pool runs: their first K documents, each once. Prints tab-separated topic, docno, number of runs and best rank. How ties
    were ordered stands on standard error."""
    pooled = pool((read_run(path, ties=options.ties) for path in options.runs), options.depth)
    print(f"documents of equal score: {CUSTOMS[options.ties]}", file=sys.stderr)
    print(csv_of_frame(pooled, to_the_letter=("topic", "docno"), separator="\t"), end="")
