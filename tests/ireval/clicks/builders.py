"""Small logs, written the way a test wants to read them, any that hypothesis thinks of, and Yandex's as UBI."""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from hypothesis import strategies as st

from ireval.clicks import Sessions, sessions_of

COLUMNS = ["impression", "query", "document", "rank", "clicks", "seconds", "session"]


def sessions_from(*impressions: str, timed: bool = True) -> Sessions:
    """Impressions such as "owls: a b* c*2": * marks a click, *2 the second one."""
    rows = [row for number, text in enumerate(impressions) for row in rows_of(str(number), text)]
    frame = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    return sessions_of(frame if timed else frame.drop("seconds"))


def rows_of(name: str, text: str) -> Iterator[tuple]:
    query, _, shown = text.partition(":")
    for rank, word in enumerate(shown.split(), start=1):
        document, mark, second = word.partition("*")
        yield name, query, document, rank, int(bool(mark)), float(second or 1) if mark else None, name


@st.composite
def any_sessions(draw, most: int = 30) -> Sessions:
    """Up to thirty impressions of two queries with up to five of six documents each."""
    impression = st.tuples(
        st.sampled_from(["owls", "swifts"]),
        st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), min_size=1, max_size=5, unique_by=lambda shown: shown[0]),
    )
    pages = draw(st.lists(impression, min_size=2, max_size=most))
    return sessions_from(*(f"{query}: {' '.join(name + '*' * click for name, click in shown)}" for query, shown in pages))


ATTRACTIVE = np.array([0.04, 0.15, 0.35, 0.65])


def judged_log(seed, queries=20, impressions=120, documents=12, ranked_by=0.5, attractive=ATTRACTIVE):
    """A frame for sessions_of and what workers say of its documents: examined at rank k with a chance of 1 / k, attractive by
    their grade; in an order that goes by the grade times `ranked_by` and by chance, partly another one in every impression."""
    rng = np.random.default_rng(seed)
    depth = 8
    grade = rng.choice(4, (queries, documents), p=[0.4, 0.3, 0.2, 0.1])
    query = np.repeat(np.arange(queries), impressions)
    order = ranked_by * grade + rng.normal(size=grade.shape)
    shown = np.argsort(-order[query] + rng.normal(scale=0.7, size=(len(query), documents)), axis=1)[:, :depth]
    clicked = rng.random(shown.shape) < attractive[grade[query[:, None], shown]] / np.arange(1, depth + 1)
    rows = {
        "impression": np.repeat(np.arange(len(query)), depth),
        "query": np.repeat(query, depth),
        "document": shown.ravel(),
        "rank": np.tile(np.arange(depth), len(query)),
        "clicks": clicked.ravel(),
    }
    whose, document = np.divmod(np.arange(grade.size), documents)
    names = {name: pl.Series(codes).cast(pl.String) for name, codes in (("query", whose), ("document", document))}
    return pl.DataFrame(rows), pl.DataFrame({**names, "grade": grade.ravel()})


def write_ubi(path: Path, records: Iterable[dict]) -> Path:
    text = "\n".join(json.dumps(record) for record in records)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def yandex(folder: Path) -> Iterator[dict]:
    """The sessions of clicks_pyclick_yandex as queries and events, a second between one click and the next."""
    text = gzip.decompress((folder / "clicks_pyclick_yandex" / "trainSample.gz").read_bytes()).decode()
    for number, session in enumerate(filter(str.strip, text.split(";"))):
        query, _, rest = session.strip().partition("\t")
        shown, _, clicked = rest.partition(":")
        about = {"query_id": str(number), "client_id": str(number), "user_query": query}
        yield {**about, "timestamp": 1_000_000_000_000, "query_response_hit_ids": words(shown)}
        for second, document in enumerate(words(clicked), start=1):
            clock = {"timestamp": 1_000_000_000_000 + 1000 * second, "action_name": "click"}
            yield {**about, **clock, "event_attributes": {"object": {"object_id": document}}}


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
