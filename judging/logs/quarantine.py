"""Records that were refused: kept for a while without saying whose they are, and sent in again when they would be taken."""

import hashlib
import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

from ireval.clicks.records import as_text, inner
from judging.logs.pseudonyms import WHO
from judging.logs.records import Reader, plain, with_pseudonyms, with_veils, without_addresses
from judging.models import Quarantined

LONGEST = 20_000


class Suspect(NamedTuple):
    """A refused record: parsed, or a text that could not be."""

    kind: str
    why: str
    content: Any
    text: str | None


def keep(reader: Reader, suspects: Sequence[Suspect]) -> None:
    """Keep each suspect once, however often it comes."""
    if suspects:
        Quarantined.objects.bulk_create([row_of(reader, suspect) for suspect in suspects], ignore_conflicts=True)


def row_of(reader: Reader, suspect: Suspect) -> Quarantined:
    raw = (storable(reader, suspect.content) if suspect.text is None else suspect.text)[:LONGEST].replace("\0", "�")
    raw = raw.encode("utf-8", "replace").decode()
    identity = hashlib.blake2b(f"{suspect.kind} {raw}".encode(), digest_size=16, key=reader.secret).hexdigest()
    return Quarantined(
        site=reader.hasher.site,
        kind=suspect.kind,
        why=suspect.why[:300],
        raw=raw,
        identity=uuid.UUID(identity),
        known=reader.tag(suspect.content) if suspect.kind == Quarantined.Kind.REJECTED else "",
        agent=reader.agent,
        received=reader.hasher.now,
    )


def storable(reader: Reader, content: Any) -> str:
    """The record as JSON, with pseudonyms of the time of receipt: its own time may be what is wrong."""
    try:
        return (
            with_pseudonyms(plain(without_addresses(with_veils(content))), whose(reader, content))
            if isinstance(content, dict)
            else plain(content)
        )
    except (ValueError, TypeError, RecursionError):
        return "(too deep, or holds what JSON does not know)"


def whose(reader: Reader, content: dict[str, Any]) -> list[int | None]:
    session = content.get("session_id") or inner(content, "event_attributes").get("session_id")
    names = zip(WHO, (content.get("client_id"), content.get("user_id"), session), strict=True)
    return [reader.hasher.who(kind, as_text(name), reader.hasher.now) for kind, name in names]
