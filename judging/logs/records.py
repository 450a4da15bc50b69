"""One record of User Behavior Insights, read leniently and written strictly: as a row to be stored, or why it is refused."""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID

from ireval.clicks.records import LAST_SECONDS, Fields, as_number, as_text, fields_of, inner, unpacked
from judging.logs.agents import agent_number
from judging.logs.pseudonyms import WHO, Hasher, records_key, written
from judging.logs.tags import TAG, known_by, mark_of, tag_of

LONGEST_RECORD = 64 * 2**10  # characters
LONGEST_TEXT = 10_000
LONGEST_ACTION, LONGEST_OBJECT, LONGEST_ARM = 60, 200, 60
MOST_HITS, MOST_ARMS = 1000, 20
LARGEST_ORDINAL = 1_000_000
# By these, and not by what somebody searched for, a browser could be found again.
ADDRESSES = frozenset({"ip", "ip_address", "client_ip", "remote_addr", "remote_address", "x_forwarded_for", "x-forwarded-for"})
AGENT = "user_agent"  # kept apart, once for all records of a browser
ADDRESS = re.compile(f'"(?:{"|".join(ADDRESSES)})":', re.IGNORECASE)
WORTH = ("value", "revenue", "price")
# No keyboard writes these, and who does gets a pseudonym in its place.
VEILS = {"client_id": "\x01client\x01", "user_id": "\x01user\x01", "session_id": "\x01session\x01"}
NUL = re.compile(r"(?<!\\)(\\\\)*\\u0000")
canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
WRITTEN_VEILS = [canonical(veil) for veil in VEILS.values()]
plain = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class RecordRefused(ValueError):
    """A record that cannot be stored, and why."""


class QueryRow(NamedTuple):
    """The columns of judging_query."""

    identity: str
    content: int
    time: datetime
    query: int | None
    client: int | None
    person: int | None
    session: int | None
    agent: int | None
    raw: str
    text: str
    hits: str | None
    arms: str


class EventRow(NamedTuple):
    """The columns of judging_event."""

    identity: str
    content: int
    time: datetime
    query: int | None
    client: int | None
    person: int | None
    session: int | None
    agent: int | None
    raw: str
    action: str
    object: str
    ordinal: int | None
    value: float | None


Row = QueryRow | EventRow


class Reader:
    """Reads the records of one request. `kind` says what all of them must be, if anything does."""

    def __init__(self, hasher: Hasher, *, kind: str | None = None, agent: int | None = None):
        self.hasher, self.kind, self.agent = hasher, kind, agent
        self.secret = records_key(hasher.site)
        self.mark = mark_of(self.secret)

    def row(self, content: Any) -> Row:
        content = unpacked(content)
        if not isinstance(content, dict):
            raise RecordRefused("expected a JSON object")
        fields = fields_of(content)
        if isinstance(fields, str):
            raise RecordRefused("has neither user_query (a query) nor action_name (an event)")
        self.refuse_other_kinds(fields)
        named_agent, content, text = apart(content)
        agent = agent_number(named_agent) or self.agent
        identity, digest = self.identified(content, text, fields)
        time = self.moment(fields)
        who = [self.hasher.who(kind, name, time) for kind, name in zip(WHO, named(fields), strict=True)]
        query = None if fields.query_id is None else self.number(b"query", fields.query_id)
        common: tuple[Any, ...] = (identity, digest, time, query, *who, agent, with_pseudonyms(text, who))
        if fields.action is None:
            return QueryRow._make((*common, *query_columns(content, fields)))
        return EventRow._make((*common, *event_columns(content, fields)))

    def refuse_other_kinds(self, fields: Fields) -> None:
        if self.kind == "query" and fields.action is not None:
            raise RecordRefused("is an event (it has action_name); queries belong here")
        if self.kind == "event" and fields.action is None:
            raise RecordRefused("has no action_name; events belong here")
        if fields.action is None and fields.text is None:
            raise RecordRefused("has no user_query")

    def identified(self, content: dict[str, Any], text: str, fields: Fields) -> tuple[str, int]:
        """What it is known by, its event_id or else its content, and a hash of its content."""
        whole = "\0".join([text, *(name or "" for name in named(fields))])
        digest = hashlib.blake2b(encoded(whole), digest_size=24, key=self.secret).digest()
        content_hash = int.from_bytes(digest[:8], signed=True)
        name = as_text(content.get("event_id")) or as_text(inner(content, "event_attributes").get("event_id"))
        if name is None or (fields.action is None and not TAG.fullmatch(name)):
            return digest[8:].hex(), content_hash
        return known_by(name, self.mark) or (self.hash(b"event_id", name, 16).hex(), content_hash)

    def tag(self, content: Any) -> str:
        """What a record would be known by if it were taken, as an event_id; empty where that cannot be told."""
        content = unpacked(content)
        try:
            fields = fields_of(content) if isinstance(content, dict) else ""
            if isinstance(fields, str):
                return ""
            _, content, text = apart(content)
            identity, digest = self.identified(content, text, fields)
        except RecordRefused:
            return ""
        return tag_of(self.mark, UUID(identity), digest)

    def moment(self, fields: Fields) -> datetime:
        if fields.time is not None:
            return moment(fields.time)
        if fields.action is None:
            return self.hasher.now
        raise RecordRefused("has no timestamp")

    def number(self, person: bytes, name: str) -> int:
        return int.from_bytes(self.hash(person, name, 8), signed=True)

    def hash(self, person: bytes, name: str, size: int) -> bytes:
        return hashlib.blake2b(name.encode(), digest_size=size, key=self.secret, person=person).digest()


def text_of(content: dict[str, Any]) -> str:
    try:
        text = canonical(content)
    except (ValueError, TypeError, RecursionError):
        raise RecordRefused("is nested too deeply, or holds numbers that JSON does not know")
    if len(text) > LONGEST_RECORD:
        raise RecordRefused(f"is longer than {LONGEST_RECORD:,} characters")
    if "\\u0000" in text and NUL.search(text):
        raise RecordRefused("holds the character 0")
    return text


def encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise RecordRefused("holds half of a surrogate pair, which is no character")


def check_storable(*columns: str) -> None:
    """Of JSON in a text, as results and objects may be sent, the record's own text shows only escapes."""
    whole = "".join(columns)
    if "\0" in whole:
        raise RecordRefused("holds the character 0")
    encoded(whole)


def moment(text: str) -> datetime:
    """ISO 8601, UTC where it names no zone, or milliseconds (small numbers: seconds) since 1970."""
    try:
        when = from_number(float(text)) if text[-1].isdigit() and is_number(text) else datetime.fromisoformat(text)
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise RecordRefused(f"has a timestamp that is none: {text[:60]}")
    if not 1970 <= when.year < 2200:
        raise RecordRefused(f"has a timestamp outside 1970–2199: {text[:60]}")
    return when


def is_number(text: str) -> bool:
    return "-" not in text[1:] and ":" not in text and "T" not in text


def from_number(number: float) -> datetime:
    return datetime.fromtimestamp(number if number < LAST_SECONDS else number / 1000, UTC)


def query_columns(content: dict[str, Any], fields: Fields) -> tuple[str, str | None, str]:
    """The columns of a query: text, hits and arms, the last two as JSON. RecordRefused where one is too long."""
    text, hits = fields.text or "", fields.hits
    if len(text) > LONGEST_TEXT:
        raise RecordRefused(f"has a user_query longer than {LONGEST_TEXT:,} characters")
    if hits and (len(hits) > MOST_HITS or max(map(len, hits)) > LONGEST_OBJECT):
        raise RecordRefused(f"shows more than {MOST_HITS:,} results, or one with an id longer than {LONGEST_OBJECT} characters")
    check_storable(text, *(hits or ()))
    return text, None if hits is None else plain(hits), plain(arms_of(inner(content, "query_attributes")))


def arms_of(attributes: Mapping[str, Any]) -> dict[str, str]:
    """The arm of each experiment, of {experiment, arm}, or of experiments: {name: arm} or [{experiment, arm}]."""
    experiments = attributes.get("experiments")
    if isinstance(experiments, dict):
        pairs = list(experiments.items())
    else:
        single = [
            entry for entry in [attributes, *(experiments if isinstance(experiments, list) else [])] if isinstance(entry, dict)
        ]
        pairs = [(entry.get("experiment"), entry.get("arm")) for entry in single]
    named = {name: arm for name, arm in ((as_text(name), as_text(arm)) for name, arm in pairs) if name and arm}
    if len(named) > MOST_ARMS or any(len(part) > LONGEST_ARM for pair in named.items() for part in pair):
        raise RecordRefused(
            f"is in more than {MOST_ARMS} experiments, or in one with a name longer than {LONGEST_ARM} characters"
        )
    return named


def event_columns(content: dict[str, Any], fields: Fields) -> tuple[str, str, int | None, float | None]:
    """The columns of an event: action, object, ordinal, value. RecordRefused where a text is too long."""
    action, thing = fields.action or "", fields.document or ""
    if len(action) > LONGEST_ACTION:
        raise RecordRefused(f"has an action_name longer than {LONGEST_ACTION} characters")
    if len(thing) > LONGEST_OBJECT:
        raise RecordRefused(f"has an object_id longer than {LONGEST_OBJECT} characters")
    check_storable(action, thing)
    ordinal = fields.ordinal if fields.ordinal is not None else fields.stray_ordinal
    is_rank = ordinal is not None and ordinal == ordinal // 1 and 0 <= ordinal <= LARGEST_ORDINAL
    return action, thing, int(ordinal) if ordinal is not None and is_rank else None, worth(inner(content, "event_attributes"))


def worth(attributes: Mapping[str, Any]) -> float | None:
    """What the event was worth, if it says."""
    for name in WORTH:
        if name in attributes and (number := as_number(attributes[name])) is not None and math.isfinite(number):
            return number
    return None


def named(fields: Fields) -> tuple[str | None, str | None, str | None]:
    """Client, user, session: as WHO."""
    return fields.client, fields.user, fields.session or fields.inner_session


def apart(content: dict[str, Any]) -> tuple[str, dict[str, Any], str]:
    """The browser that a record names, the record without that, and its text."""
    text = hidden(content)
    if AGENT not in text:
        return "", content, text
    agent, content = without_agent(content)
    return agent, content, hidden(content)


def without_agent(content: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The browser that a server names which sends for it, and the record without that."""
    rest = dict(content)
    agents = [as_text(rest.pop(AGENT, None))]
    for name in ("event_attributes", "query_attributes"):
        if AGENT in (within := inner(content, name)):
            agents.append(as_text(within[AGENT]))
            rest[name] = {key: value for key, value in within.items() if key != AGENT}
    agent = next(filter(None, agents), "")
    if not agent.isprintable():
        raise RecordRefused(f"has a {AGENT} with characters that no browser sends")
    return agent, rest


def hidden(content: dict[str, Any]) -> str:
    """The record as a text without addresses, and with a veil over clients, users and sessions. It is made once: for the hash
    that the record is known by, and for what is stored. Few records have an address anywhere."""
    text = text_of(with_veils(content))
    if not ADDRESS.search(text):
        return text
    try:
        return text_of(without_addresses(with_veils(content)))
    except RecursionError:
        raise RecordRefused("is nested too deeply")


def with_veils(content: dict[str, Any]) -> dict[str, Any]:
    shown = dict(content)
    for name in VEILS.keys() & shown.keys():
        shown[name] = VEILS[name]
    for name in ("event_attributes", "query_attributes"):
        if name in shown and (within := inner(content, name)):
            shown[name] = within | {key: VEILS[key] for key in VEILS.keys() & within.keys()}
    return shown


def with_pseudonyms(text: str, who: Sequence[int | None]) -> str:
    """The veils lifted, with pseudonyms below."""
    for veil, pseudonym in zip(WRITTEN_VEILS, who, strict=True):
        if veil in text:
            text = text.replace(veil, "null" if pseudonym is None else f'"{written(pseudonym)}"')
    return text


def without_addresses(content: Any) -> Any:
    if isinstance(content, dict):
        return {name: without_addresses(value) for name, value in content.items() if name.lower() not in ADDRESSES}
    return [without_addresses(entry) for entry in content] if isinstance(content, list) else content
