"""Credit of each system for the clicks of many impressions at once."""

from collections.abc import Iterator

import polars as pl

from ireval.interleaving.merge import METHODS, BadInterleaving
from ireval.io.cells import first_repeated, require_cells, require_columns
from ireval.io.frames import Frame, as_table

IMPRESSION, RANK, DOCUMENT, METHOD = NEEDED = ("impression", "rank", "document", "method")
SHARE, DEPTH, CREDIT, CLICKS = "share_", "depth_", "credit_", "clicks"


def scored(shown: Frame, clicks: Frame) -> pl.DataFrame:
    """The credit of each of L systems in every impression, as `credit` computes it; from frames of polars or pandas.

    - shown: one row per document shown, each once in an impression. The columns are impression (integers), rank (numbers that
      grow down the page), document (text or integers) and method (of METHODS). For the systems 0 to L − 1 there are share_0, …,
      the credit of a click (`Interleaved.shares`; for balanced, above 0 if a click counts). Balanced also needs depth_0, …, the
      place of the document in the system's own list, from 1, null if it is not there (`Interleaved.depths`).
    - clicks: one row per click: impression and document. Repeated clicks, and clicks on other documents, do not count.

    Returns one row per impression shown, sorted: impression, clicks (documents clicked), credit_0, …; zeros without clicks. An
    impression that showed nothing has no row. BadInterleaving for columns that are missing or of different types in both frames,
    an unknown method, and fewer than two systems. Also for other than two for balanced, and a document twice in an impression,
    with its row.
    Sources: as `credit`.

    >>> rows = [(7, 1, "a", "team_draft", 1.0, 0.0), (7, 2, "b", "team_draft", 0.0, 1.0), (8, 1, "b", "team_draft", 0.0, 1.0)]
    >>> shown = pl.DataFrame(rows, schema=[*NEEDED, "share_0", "share_1"], orient="row")
    >>> scored(shown, pl.DataFrame({"impression": [7, 7, 9], "document": ["b", "b", "a"]})).rows()
    [(7, 1, 0.0, 1.0), (8, 0, 0.0, 0.0)]
    """
    shown, clicks = as_table(shown, BadInterleaving), as_table(clicks, BadInterleaving)
    systems = system_count(shown, clicks)
    clicked = shown.join(clicks, on=[IMPRESSION, DOCUMENT], how="semi")
    sums = (
        clicked.lazy()
        .group_by(IMPRESSION)
        .agg(pl.len().cast(pl.Int64).alias(CLICKS), *credits_by_system(clicked, systems))
        .collect()
    )
    every = shown.select(pl.col(IMPRESSION).unique().sort())
    return every.join(sums, on=IMPRESSION, how="left", maintain_order="left").with_columns(pl.exclude(IMPRESSION).fill_null(0))


def credits_by_system(clicked: pl.DataFrame, systems: int) -> Iterator[pl.Expr]:
    """Yield the credit of each system for the documents clicked in an impression."""
    places = [pl.col(f"{DEPTH}{system}") for system in range(systems)]
    balanced = (pl.col(METHOD).cast(pl.String) == "balanced").first()
    counts = pl.any_horizontal(pl.col(f"{SHARE}{system}") > 0 for system in range(systems))
    lowest = pl.min_horizontal(places).filter(counts).sort_by(pl.col(RANK).filter(counts)).last()
    for system in range(systems):
        own = pl.col(f"{SHARE}{system}").sum()
        if (clicked[METHOD].cast(pl.String) == "balanced").any():
            above = (places[system] <= lowest).filter(counts).sum().cast(pl.Float64)
            own = pl.when(balanced).then(above).otherwise(own)
        yield own.cast(pl.Float64).alias(f"{CREDIT}{system}")


def system_count(shown: pl.DataFrame, clicks: pl.DataFrame) -> int:
    """Check both frames; the number of systems."""
    require_columns(shown, NEEDED, BadInterleaving)
    require_columns(clicks, (IMPRESSION, DOCUMENT), BadInterleaving)
    require_cells(shown, (IMPRESSION, RANK, METHOD), BadInterleaving, blank=True)
    for column in (IMPRESSION, DOCUMENT):
        if shown[column].dtype != clicks[column].dtype:
            raise BadInterleaving(f"{column} is {shown[column].dtype} where shown and {clicks[column].dtype} where clicked")
    systems = next(number for number in range(len(shown.columns)) if f"{SHARE}{number}" not in shown.columns)
    if systems < 2:
        raise BadInterleaving(f"found columns of {systems} systems; expected share_0, share_1 and so on")
    shares = [f"{SHARE}{number}" for number in range(systems)]
    require_cells(shown, shares, BadInterleaving)
    if texts := next((name for name in shares if not shown[name].dtype.is_numeric()), None):
        raise BadInterleaving(f"column {texts} is of type {shown[texts].dtype}; expected numbers: convert it")
    methods = set(shown[METHOD].unique().cast(pl.String).to_list())
    if strange := sorted(map(str, methods - set(METHODS))):
        raise BadInterleaving(f"there is no method {strange[0]}; expected one of {', '.join(METHODS)}")
    if "balanced" in methods and (systems > 2 or not {f"{DEPTH}0", f"{DEPTH}1"} <= set(shown.columns)):
        raise BadInterleaving(f"balanced interleaving is of two systems and needs depth_0 and depth_1; found {systems} systems")
    if shown.select(IMPRESSION, DOCUMENT).is_duplicated().any():
        row = first_repeated(shown, [IMPRESSION, DOCUMENT]) + 1
        raise BadInterleaving(f"row {row:,}: columns impression and document: a document is twice in an impression: keep one")
    return systems
