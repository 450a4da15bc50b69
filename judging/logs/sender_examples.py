"""Examples to copy of how a site sends its records: a shell's line, a program, a page's script."""

import json
from datetime import datetime

SCRIPT = "judging/ireval-log.js"


def records(now: datetime, first: int) -> list[dict]:
    """A search, and a click on its second result; the top one has the place `first`."""
    common = {"query_id": "q1", "client_id": "browser-1", "timestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ")}
    clicked = {"object": {"object_id": "d2"}, "position": {"ordinal": first + 1}}
    return [
        {"user_query": "diet of owls", **common, "query_response_hit_ids": ["d7", "d2", "d9"]},
        {"action_name": "click", **common, "event_attributes": clicked},
    ]


def curl(address: str, key: str, now: datetime, first: int) -> str:
    return f"""curl -X POST {address} \\
  -H "Authorization: Bearer {key}" -H "Content-Type: application/json" \\
  -d '{json.dumps(records(now, first))}'"""


def python(address: str, key: str, first: int) -> str:
    return f'''import json
import urllib.request
import uuid
from datetime import datetime, timezone

now = datetime.now(timezone.utc).isoformat()
query_id = str(uuid.uuid4())  # one a search; its events carry it, too
records = [
    {{"user_query": "diet of owls", "query_id": query_id, "client_id": "browser-1", "timestamp": now,
     "query_response_hit_ids": ["d7", "d2", "d9"]}},
    {{"action_name": "click", "event_id": str(uuid.uuid4()), "query_id": query_id, "client_id": "browser-1", "timestamp": now,
     "event_attributes": {{"object": {{"object_id": "d2"}}, "position": {{"ordinal": {first + 1}}}}}}},
]
request = urllib.request.Request(
    "{address}",
    data=json.dumps(records).encode(),
    headers={{"Authorization": "Bearer {key}", "Content-Type": "application/json"}},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer))  # what became of each
'''


def browser(script: str, key: str, first: int) -> str:
    return f'''<script src="{script}" data-key="{key}"></script>
<script>
  // Where results are shown: what was asked, and what was shown, the top one first.
  ireval.query({{ user_query: "diet of owls", query_response_hit_ids: ["d7", "d2", "d9"] }});
</script>
<!-- A click on this is sent: which result it was, and at which place. -->
<a href="/d2" data-ireval-object="d2" data-ireval-position="{first + 1}">Barn owl</a>'''


def test_record(by: str, now: datetime) -> dict:
    """An event of its own kind, which no report takes for a click."""
    return {"action_name": "test", "client_id": f"test by {by}", "timestamp": now.isoformat()}
