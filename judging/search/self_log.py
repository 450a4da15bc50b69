"""The search page's own records for the site's log, by the way that all records come in."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from judging.logs.intake import receive
from judging.logs.pseudonyms import Hasher
from judging.logs.records import Reader
from judging.models import Seen, Site
from judging.search.visits import Visitor

APPLICATION = "ireval search page"


def note_search(
    site: Site, visitor: Visitor, *, query_id: str, query: str, shown: Sequence[str], attributes: dict[str, Any], agent: str
) -> None:
    """Without a time, which is then that of its receipt: the same search loaded again is the same record, and counts once."""
    record = {
        "application": APPLICATION,
        "query_id": query_id,
        "client_id": visitor.client,
        "session_id": visitor.session,
        "user_query": query,
        "object_id_field": "docno",
        "query_response_hit_ids": list(shown),
    }
    receive(site, [{**record, "query_attributes": attributes} if attributes else record], kind="query", agent=agent)


def note_event(
    site: Site, visitor: Visitor, action: str, *, query_id: str, agent: str, about: str = "", attributes: dict[str, Any]
) -> None:
    """Once for each search and what it is about, however often a page is loaded, or opened by going back."""
    name, now = f"{query_id}:{action}:{about}", timezone.now()
    if is_noted(site, name, now):
        return
    # Should two loads of a page overlap, one of them is a conflict, and still counts once.
    record = {
        "application": APPLICATION,
        "action_name": action,
        "event_id": name,
        "query_id": query_id,
        "client_id": visitor.client,
        "session_id": visitor.session,
        "timestamp": now.isoformat(),
        "event_attributes": attributes,
    }
    receive(site, [record], kind="event", agent=agent)


def is_noted(site: Site, event_id: str, now: datetime) -> bool:
    identity = Reader(Hasher(site, now)).hash(b"event_id", event_id, 16)
    return Seen.objects.filter(pk=identity.hex()).exists()


def place(docno: str, ordinal: int) -> dict[str, Any]:
    return {"object": {"object_id": docno, "object_id_field": "docno"}, "position": {"ordinal": ordinal}}
