"""Topics on which kinds of evidence lie furthest apart."""

from collections.abc import Sequence
from typing import get_args

import polars as pl

from ireval.io.arguments import require_each
from ireval.verdict.evidence import Evidence, Grades, SideBySide


def disagreements(evidence: Sequence[Evidence]) -> pl.DataFrame:
    """One row per topic that two kinds or more speak of, the farthest apart first.

    The columns are topic, one per kind with how far B is ahead there (−1 to 1, null where it is silent), and `apart`. That is the
    largest of these less the smallest. Kinds without topics, such as tests on users, are left out.
    """
    require_each("evidence", evidence, get_args(Evidence), "Evidence, such as Grades")
    tables = [(part.kind, part.by_topic()) for part in evidence if isinstance(part, Grades | SideBySide)]
    if not tables:
        return pl.DataFrame(schema={"topic": pl.String, "apart": pl.Float64})
    kinds = [kind for kind, _ in tables]
    joined = tables[0][1].rename({"ahead": kinds[0]})
    for kind, table in tables[1:]:
        joined = joined.join(table.rename({"ahead": kind}), on="topic", how="full", coalesce=True)
    spoken = pl.sum_horizontal(pl.col(kind).is_not_null().cast(pl.Int64) for kind in kinds)
    apart = pl.max_horizontal(kinds) - pl.min_horizontal(kinds)
    return joined.filter(spoken > 1).with_columns(apart=apart).sort(["apart", "topic"], descending=[True, False])
