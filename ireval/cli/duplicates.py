"""The command duplicates: from documents to groups of near-duplicates."""

import argparse
import sys

from ireval.duplicates import near_duplicates, read_documents, write_groups
from ireval.duplicates.similarity_join import THRESHOLD, WORDS


def add_duplicates(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "documents",
        metavar="DOCUMENTS",
        help='JSON Lines as BEIR\'s corpus.jsonl, or a docno, a tab and the text on each line; "-" is standard input',
    )
    command.add_argument(
        "--threshold",
        metavar="SHARE",
        type=float,
        default=THRESHOLD,
        help="Jaccard coefficient of their shingles, from 0.5 to 1 (default %(default)s)",
    )
    command.add_argument("--words", metavar="N", type=int, default=WORDS, help="of a shingle (default %(default)s)")
    command.set_defaults(command=find_duplicates)


def find_duplicates(options: argparse.Namespace) -> None:
    """Find near-duplicates: documents of which nearly all runs of words are the same. Prints tab-separated docno and group, for
    evaluate --duplicates; the group has the docno of its first document. Documents without a near-duplicate are left out."""
    groups = near_duplicates(read_documents(options.documents), threshold=options.threshold, words=options.words)
    counts = f"{len(groups):,} near-duplicates in {groups['group'].n_unique():,} groups"
    print(f"{counts}: at least {options.threshold:g} of the runs of {options.words} words are the same", file=sys.stderr)
    print(write_groups(groups), end="")
