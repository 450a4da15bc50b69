"""Records as sites send them."""

from typing import Any

TIME = "2026-11-20T10:00:{:02d}Z"


def query(number: int = 1, **other: Any) -> dict[str, Any]:
    return {
        "user_query": "diet of owls",
        "query_id": f"q{number}",
        "client_id": "c1",
        "timestamp": TIME.format(0),
        "query_response_hit_ids": ["d1", "d2", "d3"],
        **other,
    }


def click(document: str = "d1", number: int = 1, seconds: int = 5, **other: Any) -> dict[str, Any]:
    return {
        "action_name": "click",
        "query_id": f"q{number}",
        "client_id": "c1",
        "session_id": "s1",
        "timestamp": TIME.format(seconds),
        "event_attributes": {"object": {"object_id": document}, "position": {"ordinal": int(document[1:])}},
        **other,
    }
