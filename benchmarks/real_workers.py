"""Hit rates of real crowd workers, from collections of labels with gold in a folder beside the checkout."""

from pathlib import Path

import polars as pl

COLLECTIONS = ("bluebird", "rte", "trec")
LEAST = 20  # labels of items with gold
GUESSING = 0.5


def hit_rates(data: Path) -> list[tuple[float, float]]:
    """For each worker who labelled enough and is surely better than guessing: how often they are right, by the true value.

    The first rate is of items whose true value is the lower one, the second of the others. To each, one right and one wrong label
    are added.
    """
    return [rates for name in COLLECTIONS for rates in hit_rates_in(data / "crowd_spectral", name)]


def hit_rates_in(folder: Path, name: str) -> list[tuple[float, float]]:
    labels = columns_of(folder / f"{name}_crowd.txt", ["item", "worker", "label"])
    truth = columns_of(folder / f"{name}_truth.txt", ["item", "truth"])
    right, low = pl.col("label") == pl.col("truth"), pl.col("truth") == truth["truth"].min()
    workers = (
        labels.join(truth, on="item")
        .group_by("worker")
        .agg(
            n=pl.len(),
            lows=low.sum() + 2,
            low=((right & low).sum() + 1) / (low.sum() + 2),
            highs=(~low).sum() + 2,
            high=((right & ~low).sum() + 1) / ((~low).sum() + 2),
        )
        .sort("worker")
    )
    error = (spread("low") / pl.col("lows") + spread("high") / pl.col("highs")).sqrt() / 2
    surely = (pl.col("low") + pl.col("high")) / 2 - 1.96 * error > GUESSING
    return workers.filter((pl.col("n") >= LEAST) & surely).select("low", "high").rows()


def spread(rate: str) -> pl.Expr:
    return pl.col(rate) * (1 - pl.col(rate))


def columns_of(path: Path, names: list[str]) -> pl.DataFrame:
    rows = [line.split() for line in path.read_text().splitlines()]
    return pl.DataFrame([[int(value) for value in row[: len(names)]] for row in rows], schema=names, orient="row")
