"""Records in the body of a request: one JSON object, an array of them, or one per line; gzip or as it is."""

import gzip
import json
import zlib
from io import BytesIO
from typing import Any

from ireval.clicks.records import BULK
from judging.errors import Unacceptable
from judging.logs.intake import Unreadable

MOST_RECORDS = 10_000
MOST_BYTES = 32 * 2**20
# By one of these a record is known; a line of a log has none.
NAMES = {"action_name", "user_query", "query_response_hit_ids", "_source"}


class BadBody(Unacceptable):
    """A body in which there are no records, and why."""


class LargeBody(BadBody):
    pass


def records_in(body: bytes, encoding: str = "") -> list[Any]:
    """What was sent: parsed, or Unreadable."""
    if encoding.lower() in {"gzip", "x-gzip"}:
        body = unzipped(body)
    elif encoding.lower() not in {"", "identity"}:
        raise BadBody(f"The body is encoded as {encoding[:40]}; send gzip, or as it is.")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadBody("The body is not UTF-8.") from None
    records = records_of(text)
    if not records:
        raise BadBody("There are no records: send a JSON object, an array of them, or one a line.")
    if len(records) > MOST_RECORDS:
        raise LargeBody(f"There are {len(records):,} records; send at most {MOST_RECORDS:,} at a time.")
    return records


def unzipped(body: bytes) -> bytes:
    """Of one member or several, as some senders put them one after another."""
    try:
        with gzip.open(BytesIO(body)) as members:
            content = members.read(MOST_BYTES + 1)
    except (EOFError, OSError, zlib.error):
        raise BadBody("The body is not gzip, or it was cut off.") from None
    if len(content) > MOST_BYTES:
        raise LargeBody(f"The body unpacks to more than {MOST_BYTES:,} bytes.")
    return content


def records_of(text: str) -> list[Any]:
    """An array that cannot be read is one thing nobody can read; of lines, one more or less spoils no other."""
    text = text.strip()
    if text.startswith("["):
        whole = parsed_json(text)
        if isinstance(whole, list):
            return [unwrapped(record) for record in whole]
        raise BadBody("The body begins as a JSON array, and is none.")
    lines = [parsed_json(line) for line in text.split("\n") if line and not line.isspace()]
    if lines and isinstance(lines[0], Unreadable):
        whole = parsed_json(f"[{text}]")  # an object over several lines; or several, with commas between them as Kafka Connect's
        if isinstance(whole, list):
            lines = whole
        elif all(isinstance(line, Unreadable) for line in lines):
            lines = [Unreadable(text)]
    return [unwrapped(line) for line in lines if not is_bulk(line)]


def unwrapped(record: Any) -> Any:
    """The record itself, where Kafka Connect sent its JSON as a text, or Vector as the message of a line that it read."""
    text = record.get("message") if isinstance(record, dict) and record.keys().isdisjoint(NAMES) else record
    inner = parsed_json(text) if isinstance(text, str) else None
    return inner if isinstance(inner, dict) else record


def parsed_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return Unreadable(text)


def is_bulk(line: Any) -> bool:
    """OpenSearch's lines between records, which say where they go."""
    return isinstance(line, dict) and bool(line) and line.keys() <= BULK
