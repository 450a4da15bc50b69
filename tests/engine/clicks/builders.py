"""Small logs, written the way a test wants to read them, any that hypothesis thinks of, and Yandex's as UBI."""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl
from hypothesis import strategies as st

from metrics.engine.clicks import Sessions, sessions_of

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
    found = draw(st.lists(impression, min_size=2, max_size=most))
    return sessions_from(*(f"{query}: {' '.join(name + '*' * click for name, click in shown)}" for query, shown in found))


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
