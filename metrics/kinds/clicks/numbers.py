"""From impressions to the numbers of a click report."""

import zlib
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.clicks import (
    BASELINE,
    MODELS,
    RULES,
    BadClicks,
    ClickModel,
    HeldOut,
    RuleAgreement,
    Sessions,
    blind,
    click_preferences,
    coec,
    ctr_by_rank,
    fit,
    held_out,
    median_seconds,
    preference_agreement,
    rates,
)
from ireval.io.plain import plain
from ireval.labels.labels import coded
from judging.logs.privacy import K

# Of what people looked for, the commonest; the others are found by their text.
MOST_QUERIES = 2_000
# Of what was shown for them, the most shown: nothing can be told of the rest.
MOST_PAIRS = 400_000
COUNTED = ("impressions", "clicked", "abandoned", "clicks")
FITTED = tuple(name for name in MODELS if name != BASELINE)
# Models that say of each rank what it adds.
OF_RANKS = ("position-based", "dependent-click")


class Numbers(NamedTuple):
    """`result` is what a page shows, `documents` has one row per query and document."""

    result: dict[str, Any]
    documents: pl.DataFrame

    def by_part(self, parts: int) -> list[pl.DataFrame]:
        """The documents, those of a query in one of so many frames."""
        if self.documents.is_empty():
            return []
        queries = self.documents.select(pl.col("query").unique())
        places = queries.with_columns(part=pl.Series([part_of(query, parts) for query in queries["query"]], dtype=pl.Int64))
        rows = self.documents.join(places, on="query", how="left", maintain_order="left")
        return [rows.filter(pl.col("part") == number).drop("part") for number in range(parts)]


def part_of(query: str, parts: int) -> int:
    """Where a query's documents are kept; the same tomorrow and in every process."""
    return zlib.crc32(query.encode()) % parts


def numbers_of(shown: pl.DataFrame, judged: pl.DataFrame | None, *, prior: float, confidence: float) -> Numbers:
    """Of one row per impression (SHOWN); `judged` is what workers say: query, document, grade."""
    if shown.is_empty():
        return Numbers({"impressions": 0}, pl.DataFrame())
    sessions = as_sessions(shown)
    users = users_of(sessions)
    documents, ranks, models = documents_of(sessions, users, confidence), ranks_of(sessions, users, confidence), []
    # One after the other: each knows all documents.
    for model in (fit(sessions, name, prior=prior, confidence=confidence) for name in FITTED):
        documents = with_model(documents, model)
        models.append(model_row(model))
        if model.name in OF_RANKS:
            ranks = ranks.with_columns(pl.Series(model.name, model.by_rank))
    queries = queries_of(sessions, users)
    result = {
        "impressions": len(sessions),
        "users": users.n_unique(),
        "sessions": len(np.unique(sessions.session)),
        "clicks": int(sessions.total_clicks.sum()),
        "elsewhere": int(sessions.elsewhere.sum()),
        "queries": len(queries),
        "documents": len(sessions.pairs),
        "documents_kept": len(documents),
        "ranks": ranks,
        "rates": rates(sessions, confidence=confidence),
        "median_seconds": median_seconds(sessions),
        "models": models,
        **foreseen(sessions, prior, confidence),
        "rules": rules_of(sessions, judged, confidence),
        "by_query": queries.head(MOST_QUERIES),
        "hidden": queries.filter("hidden").select(pl.len().alias("queries"), pl.col(*COUNTED).sum()).row(0, named=True),
    }
    hidden = queries.select("query", "hidden")
    return Numbers(plain(result), documents.drop("pair").join(hidden, on="query", how="left", maintain_order="left"))


def as_sessions(shown: pl.DataFrame) -> Sessions:
    """As `sessions_of` makes them of one row per document, in a third of the memory. Users whom nobody knows are taken for
    one."""
    query, queries = coded(shown["query"])
    session, sessions = coded(shown["session"].cast(pl.String))
    user, users = coded(shown["user"].fill_null(0).cast(pl.String))
    document, documents = coded(shown["document"].explode())
    return Sessions(
        query=query,
        session=session,
        user=user,
        elsewhere=whole(shown["elsewhere"]),
        start=np.r_[0, np.cumsum(whole(shown["document"].list.len()))],
        document=document,
        clicks=whole(shown["clicks"].explode()),
        order=whole(shown["order"].explode()),
        seconds=shown["seconds"].explode().cast(pl.Float64).fill_null(np.nan).to_numpy(),
        queries=queries,
        sessions=sessions,
        users=users,
        documents=documents,
    )


def whole(column: pl.Series) -> Ints:
    return column.to_numpy().astype(np.int64)


def users_of(sessions: Sessions) -> pl.Series:
    return pl.Series("user", sessions.user)


def ranks_of(sessions: Sessions, users: pl.Series, confidence: float) -> pl.DataFrame:
    """CTR by rank, and how many users saw so far."""
    furthest = pl.DataFrame({"user": users, "rank": sessions.lengths}).group_by("user").agg(pl.col("rank").max())["rank"]
    reached = np.bincount(furthest.to_numpy(), minlength=sessions.depth + 1)[::-1].cumsum()[::-1]
    return ctr_by_rank(sessions, confidence=confidence).with_columns(users=pl.Series(reached[1:]))


def model_row(model: ClickModel) -> dict[str, Any]:
    names = ("name", "title", "attractiveness", "satisfaction", "rounds", "converged", "note")
    return {name: getattr(model, name) for name in names}


def foreseen(sessions: Sessions, prior: float, confidence: float) -> dict[str, Any]:
    """How well each model foresees clicks of sessions held out; nothing where there are too few."""
    try:
        found = held_out(sessions, FITTED, prior=prior, confidence=confidence)
    except BadClicks:
        return {"held_out": [], "held_out_impressions": 0}
    return {"held_out": [as_row(one) for one in found], "held_out_impressions": found[0].impressions}


def as_row(one: HeldOut) -> dict[str, Any]:
    named = {"name": one.model.name, "title": one.model.title, "perplexity": one.perplexity, "by_rank": one.by_rank.tolist()}
    return {**named, "log_likelihood": one.log_likelihood, "gain": one.gain}


def rules_of(sessions: Sessions, judged: pl.DataFrame | None, confidence: float) -> list[dict[str, Any]]:
    """How many pairs each of Joachims's rules orders, and how far it agrees with workers, beside people who see only ranks."""
    known = judged is not None and len(judged) > 0
    by_chance = blind(sessions) if known else None
    found = []
    for rule, (title, _) in RULES.items():
        said = click_preferences(sessions, rule)
        row: dict[str, Any] = {"rule": rule, "title": title, "said": int(said["count"].sum())}
        row["pairs"] = len(said.filter(pl.col("count") > pl.col("against")))
        if by_chance is not None:
            row["workers"] = agreement(rule, said, judged, confidence)
            row["blind"] = agreement(rule, click_preferences(by_chance, rule), judged, confidence)
        found.append(row)
    return found


def agreement(rule: str, said: pl.DataFrame, judged: pl.DataFrame | None, confidence: float) -> RuleAgreement:
    return preference_agreement({rule: said}, judged, confidence=confidence)[0]


def documents_of(sessions: Sessions, users: pl.Series, confidence: float) -> pl.DataFrame:
    """One row per query and document, of those shown most, by query and in it the most shown first: shown, users, clicked,
    rank (the mean one), top, bottom; expected clicks, coec, and of coec shrunk the estimate and its interval; pair, its
    number."""
    each = pl.DataFrame({"pair": sessions.pair, "rank": sessions.place + 1, "clicked": sessions.clicked})
    each = each.with_columns(user=users.gather(sessions.impression))
    facts = each.group_by("pair").agg(
        pl.len().alias("shown"),
        pl.col("user").n_unique().alias("users"),
        pl.col("clicked").sum(),
        pl.col("rank").mean(),
        pl.col("rank").min().alias("top"),
        pl.col("rank").max().alias("bottom"),
    )
    found = sessions.pairs.with_columns(pair=pl.int_range(pl.len())).join(facts, on="pair")
    most = found.sort("shown", "query", "document", descending=[True, False, False]).head(MOST_PAIRS)
    beside = coec(sessions, confidence=confidence).select(
        "query", "document", "expected", "coec", "shrunk", pl.col("low").alias("shrunk low"), pl.col("high").alias("shrunk high")
    )
    found = most.join(beside, on=["query", "document"], how="left")
    return found.sort("query", "shown", "document", descending=[False, True, False])


def with_model(documents: pl.DataFrame, model: ClickModel) -> pl.DataFrame:
    """What it says of them: attractiveness by the model's name, its interval and its support."""
    names = {"attractiveness": model.name, **{end: f"{model.name} {end}" for end in ("low", "high", "support")}}
    return documents.hstack(model.pairs.select(*names).rename(names)[documents["pair"]])


def queries_of(sessions: Sessions, users: pl.Series) -> pl.DataFrame:
    """One row per query, the most frequent first: query, users, impressions, clicked (with a click on what was shown), abandoned
    (without any click), clicks, documents (different ones); hidden: readers do not see it."""
    each = pl.DataFrame({
        "code": sessions.query,
        "user": users,
        "clicked": sessions.sums(sessions.clicked) > 0,
        "abandoned": sessions.total_clicks == 0,
        "clicks": sessions.total_clicks,
    })  # fmt: skip
    found = each.group_by("code").agg(
        pl.col("user").n_unique().alias("users"), pl.len().alias("impressions"), pl.col("clicked", "abandoned", "clicks").sum()
    )
    names = pl.Series("query", sessions.queries, dtype=pl.String)
    found = found.with_columns(query=names.gather(found["code"]))
    shown = sessions.pairs.group_by("query").agg(documents=pl.len())
    found = found.join(shown, on="query", how="left").sort("impressions", "query", descending=[True, False])
    hidden = kept_from_readers(found.select("code", "users"), each.select("code", "user"))
    return found.with_columns(hidden=pl.col("code").is_in(hidden.implode())).select(
        "query", "users", "impressions", "clicked", "abandoned", "clicks", "documents", "hidden"
    )


def kept_from_readers(queries: pl.DataFrame, each: pl.DataFrame) -> pl.Series:
    """Queries of fewer than K users; and as many more, the rarest first, that those hidden are two or more of K users together:
    the others could be taken from the total."""
    rarest = queries.sort("users", "code")
    least = rarest.filter(pl.col("users") < K)
    if least.is_empty():
        return least["code"]
    count = len(least)
    while count < len(rarest) and not hides(rarest["code"].head(count), each):
        count += 1
    return rarest["code"].head(count)


def hides(codes: pl.Series, each: pl.DataFrame) -> bool:
    return len(codes) > 1 and each.filter(pl.col("code").is_in(codes.implode()))["user"].n_unique() >= K
