"""The numbers of a click report, computed from impressions."""

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

# The commonest queries are listed; the others are looked up by their text.
MOST_QUERIES = 2_000
# Of documents, those shown most are kept: too little is known of the rest.
MOST_PAIRS = 400_000
COUNTED = ("impressions", "clicked", "abandoned", "clicks")
FITTED = tuple(name for name in MODELS if name != BASELINE)
# Models that have a parameter for each rank.
OF_RANKS = ("position-based", "dependent-click")


class Numbers(NamedTuple):
    """`result` is what a page shows, `documents` has one row per query and document."""

    result: dict[str, Any]
    documents: pl.DataFrame

    def by_part(self, parts: int) -> list[pl.DataFrame]:
        """Split the documents into `parts` frames, with all documents of one query in the same frame; none without documents."""
        if self.documents.is_empty():
            return []
        queries = self.documents.select(pl.col("query").unique())
        places = queries.with_columns(part=pl.Series([part_of(query, parts) for query in queries["query"]], dtype=pl.Int64))
        rows = self.documents.join(places, on="query", how="left", maintain_order="left")
        return [rows.filter(pl.col("part") == number).drop("part") for number in range(parts)]


def part_of(query: str, parts: int) -> int:
    """The number of the frame that holds a query's documents; the same in every process."""
    return zlib.crc32(query.encode()) % parts


def numbers_of(shown: pl.DataFrame, judged: pl.DataFrame | None, *, prior: float, confidence: float) -> Numbers:
    """Compute the report's numbers from one row per impression (SHOWN).

    `judged` has workers' grades: query, document, grade.
    """
    if shown.is_empty():
        return Numbers({"impressions": 0}, pl.DataFrame())
    sessions = as_sessions(shown)
    users = users_of(sessions)
    documents, ranks, models = documents_of(sessions, users, confidence), ranks_of(sessions, users, confidence), []
    # One model after the other, since each holds all documents in memory.
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
        **predictions(sessions, prior, confidence),
        "rules": rules_of(sessions, judged, confidence),
        "by_query": queries.head(MOST_QUERIES),
        "hidden": queries.filter("hidden").select(pl.len().alias("queries"), pl.col(*COUNTED).sum()).row(0, named=True),
    }
    hidden = queries.select("query", "hidden")
    return Numbers(plain(result), documents.drop("pair").join(hidden, on="query", how="left", maintain_order="left"))


def as_sessions(shown: pl.DataFrame) -> Sessions:
    """The sessions that `sessions_of` makes of one row per document, in a third of the memory.

    All impressions without a user count as one user's.
    """
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
    """One row per rank: the click-through rate with its interval, and how many users' lists reached the rank."""
    furthest = pl.DataFrame({"user": users, "rank": sessions.lengths}).group_by("user").agg(pl.col("rank").max())["rank"]
    reached = np.bincount(furthest.to_numpy(), minlength=sessions.depth + 1)[::-1].cumsum()[::-1]
    return ctr_by_rank(sessions, confidence=confidence).with_columns(users=pl.Series(reached[1:]))


def model_row(model: ClickModel) -> dict[str, Any]:
    names = ("name", "title", "attractiveness", "satisfaction", "rounds", "converged", "note")
    return {name: getattr(model, name) for name in names}


def predictions(sessions: Sessions, prior: float, confidence: float) -> dict[str, Any]:
    """How well each model predicts the clicks of held-out sessions; empty where there are too few sessions."""
    try:
        models = held_out(sessions, FITTED, prior=prior, confidence=confidence)
    except BadClicks:
        return {"held_out": [], "held_out_impressions": 0}
    return {"held_out": [held_out_row(model) for model in models], "held_out_impressions": models[0].impressions}


def held_out_row(held: HeldOut) -> dict[str, Any]:
    named = {"name": held.model.name, "title": held.model.title, "perplexity": held.perplexity, "by_rank": held.by_rank.tolist()}
    return {**named, "log_likelihood": held.log_likelihood, "gain": held.gain}


def rules_of(sessions: Sessions, judged: pl.DataFrame | None, confidence: float) -> list[dict[str, Any]]:
    """One row per rule of Joachims: how many pairs it orders, and how far it agrees with workers.

    `blind` is the same agreement if clicks depended on ranks alone.
    """
    by_chance = blind(sessions) if judged is not None and len(judged) > 0 else None
    rows = []
    for rule, (title, _) in RULES.items():
        preferences = click_preferences(sessions, rule)
        row: dict[str, Any] = {"rule": rule, "title": title, "impressions": int(preferences["count"].sum())}
        row["pairs"] = len(preferences.filter(pl.col("count") > pl.col("against")))
        if by_chance is not None:
            row["workers"] = agreement(rule, preferences, judged, confidence)
            row["blind"] = agreement(rule, click_preferences(by_chance, rule), judged, confidence)
        rows.append(row)
    return rows


def agreement(rule: str, preferences: pl.DataFrame, judged: pl.DataFrame | None, confidence: float) -> RuleAgreement:
    return preference_agreement({rule: preferences}, judged, confidence=confidence)[0]


def documents_of(sessions: Sessions, users: pl.Series, confidence: float) -> pl.DataFrame:
    """One row per query and document, at most MOST_PAIRS, sorted by query and then by how often it was shown.

    Columns are query, document, pair (its number), shown, users, clicked, rank (the mean), top and bottom (the best and worst).
    Clicks over expected clicks add expected, coec, shrunk, "shrunk low" and "shrunk high".
    """
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
    documents = sessions.pairs.with_columns(pair=pl.int_range(pl.len())).join(facts, on="pair")
    most = documents.sort("shown", "query", "document", descending=[True, False, False]).head(MOST_PAIRS)
    over_expected = coec(sessions, confidence=confidence).select(
        "query", "document", "expected", "coec", "shrunk", pl.col("low").alias("shrunk low"), pl.col("high").alias("shrunk high")
    )
    table = most.join(over_expected, on=["query", "document"], how="left")
    return table.sort("query", "shown", "document", descending=[False, True, False])


def with_model(documents: pl.DataFrame, model: ClickModel) -> pl.DataFrame:
    """The documents with a model's estimates: attractiveness under the model's name, its interval and its support."""
    names = {"attractiveness": model.name, **{end: f"{model.name} {end}" for end in ("low", "high", "support")}}
    return documents.hstack(model.pairs.select(*names).rename(names)[documents["pair"]])


def queries_of(sessions: Sessions, users: pl.Series) -> pl.DataFrame:
    """One row per query, the most frequent first.

    Columns are query, users, impressions, clicked, abandoned, clicks, documents (different ones) and hidden. `clicked` counts
    impressions with a click on what was shown, `abandoned` those without any click; `hidden` marks what readers do not see.
    """
    each = pl.DataFrame({
        "code": sessions.query,
        "user": users,
        "clicked": sessions.sums(sessions.clicked) > 0,
        "abandoned": sessions.total_clicks == 0,
        "clicks": sessions.total_clicks,
    })  # fmt: skip
    counts = each.group_by("code").agg(
        pl.col("user").n_unique().alias("users"), pl.len().alias("impressions"), pl.col("clicked", "abandoned", "clicks").sum()
    )
    names = pl.Series("query", sessions.queries, dtype=pl.String)
    counts = counts.with_columns(query=names.gather(counts["code"]))
    shown = sessions.pairs.group_by("query").agg(documents=pl.len())
    queries = counts.join(shown, on="query", how="left").sort("impressions", "query", descending=[True, False])
    hidden = kept_from_readers(queries.select("code", "users"), each.select("code", "user"))
    return queries.with_columns(hidden=pl.col("code").is_in(hidden.implode())).select(
        "query", "users", "impressions", "clicked", "abandoned", "clicks", "documents", "hidden"
    )


def kept_from_readers(queries: pl.DataFrame, each: pl.DataFrame) -> pl.Series:
    """The codes of the queries to hide from readers: those of fewer than K users, and more if these could be inferred.

    The rarest others are added until two or more queries of K users together are hidden. Otherwise the total less the queries
    shown would give them away.
    """
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
