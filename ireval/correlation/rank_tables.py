"""Tables behind rank correlations: where two orderings put each thing, and on which pairs of things they disagree."""

import numpy as np
import polars as pl

from ireval.correlation.orderings import Ordering, scores_of
from ireval.io.files import BadInput

# Their pairs are two million rows.
MOST_THINGS = 2000


def rank_table(first: Ordering, second: Ordering) -> pl.DataFrame:
    """The places of each thing that both orderings have, one row per thing, in the first's order.

    Orderings are what `correlate` takes. Columns: thing, first and second, and difference, the first less the second. Ranks are
    from 1 in the whole orderings; tied things share the mean of theirs. If both have the same things, Spearman's Σd² is the sum
    of the squared differences, and the footrule's Σ|d| that of their sizes. No rows without a common thing, BadInput for a thing
    listed twice.

    >>> rank_table(["d123", "d84", "d56"], ["d56", "d123", "d84"]).rows()
    [('d123', 1.0, 2.0, -1.0), ('d84', 2.0, 3.0, -1.0), ('d56', 3.0, 1.0, 2.0)]
    """
    ranked = [
        scores_of(ordering).select("thing", pl.col("score").rank("average", descending=True).alias(side))
        for ordering, side in ((first, "first"), (second, "second"))
    ]
    both = ranked[0].join(ranked[1], on="thing").sort("first", "second", "thing")
    return both.with_columns(difference=pl.col("first") - pl.col("second"))


def rank_pairs(first: Ordering, second: Ordering) -> pl.DataFrame:
    """Every pair of things that both orderings have, one row per pair, in the first's order.

    Columns: upper and lower, as the first has them, and agreement: "concordant", "discordant" or, where either ordering ties
    them, "tied". With K things there are K (K − 1) / 2 pairs; Kendall's τ is concordant less discordant pairs over all of them.
    BadInput for a thing listed twice, and for more than 2,000 common things.

    >>> rank_pairs(["d123", "d84", "d56"], ["d56", "d123", "d84"]).rows()
    [('d123', 'd84', 'concordant'), ('d123', 'd56', 'discordant'), ('d84', 'd56', 'discordant')]
    """
    table = rank_table(first, second)
    if len(table) > MOST_THINGS:
        raise BadInput(f"pairs of {len(table):,} things are too many to list: cut the orderings to {MOST_THINGS:,}")
    upper, lower = np.triu_indices(len(table), 1)
    ranks = table.select("first", "second").to_numpy()
    sign = np.sign(ranks[lower] - ranks[upper]).prod(axis=1).astype(int)  # 0, 1 or −1, the last of the three words
    return pl.DataFrame({
        "upper": table["thing"][upper],
        "lower": table["thing"][lower],
        "agreement": np.array(["tied", "concordant", "discordant"])[sign],
    })  # fmt: skip
