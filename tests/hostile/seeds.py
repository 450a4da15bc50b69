"""Sound requests to start from: every address with real ids, the forms of every page, the API's bodies by its schema."""

import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator

from tests.hostile.sent import Pairs, Sent
from tests.routes import LINES, all_routes

WORDS = {
    "measures": "AP nDCG@10", "name": "A name", "title": "A title", "label": "A label", "reason": "because", "format": "auto",
    "currency": "EUR", "email": "a@example.com", "username": "rita", "kind": "graded", "signal": "run", "action": "warned",
    "filename": "r.txt", "source": "prolific", "client_id": "c1", "number": "1", "docno": "d1",
}  # fmt: skip


def every_seed(world: dict[str, Any], clients: dict[str, Any]) -> list[Sent]:
    pages = list(addresses(world))
    return [*pages, *forms_of(pages, clients), *of_api(world), *records(world), *of_admin()]


def addresses(world: dict[str, Any]) -> Iterator[Sent]:
    for method, path, *expected in LINES:
        whole = urlsplit(path.format(**world))
        for person, status in zip(("nobody", "wim", "sid", "rita", "ada"), expected, strict=True):
            if status != "503" and (person in {"wim", "rita"} or (person in {"nobody", "ada"} and status == "200")):
                yield Sent(person, method, whole.path, parse_qsl(whole.query), kind="json" if "/api/" in path else "form")


class Forms(HTMLParser):
    """The forms of a page: (method, action, fields as a browser would send them)."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, Pairs]] = []
        self.select = self.area = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append((attributes.get("method", "get").upper(), attributes.get("action", ""), []))
        elif tag == "select":
            self.select = attributes.get("name", "")
        elif tag == "textarea":
            self.area = attributes.get("name", "")
            self.add(self.area, "")
        elif tag == "option" and self.select:
            self.add(self.select, attributes.get("value", ""))
        elif tag in {"input", "button"} and attributes.get("name"):
            self.add(attributes["name"], attributes.get("value") or WORDS.get(attributes["name"], "1"))

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self.select = ""
        elif tag == "textarea":
            self.area = ""

    def handle_data(self, data: str) -> None:
        if self.area and self.found:
            self.found[-1][2][-1] = (self.area, data)

    def add(self, name: str, value: str) -> None:
        if self.found and name != "csrfmiddlewaretoken":
            self.found[-1][2].append((name, value))


def forms_of(pages: list[Sent], clients: dict[str, Any]) -> Iterator[Sent]:
    """Each once, as who sees it; of a choice the first."""
    seen = set()
    for page in pages:
        if page.method != "GET" or "/api/" in page.path:
            continue
        response = page.by(clients[page.person])
        if response.status_code != 200 or not response["Content-Type"].startswith("text/html"):
            continue
        parser = Forms()
        parser.feed(response.content.decode())
        for method, action, fields in parser.found:
            where = urlsplit(action or page.target())
            named = dict(reversed(fields))
            key = (page.person, method, re.sub(r"\d+", "1", where.path), frozenset(named))
            if key not in seen and where.path.startswith("/"):
                seen.add(key)
                pairs = list(reversed(named.items()))
                files = any(name == "file" for name in named)
                query, sent = (pairs, None) if method == "GET" else (parse_qsl(where.query), with_file(pairs) if files else pairs)
                yield Sent(page.person, method, where.path, query, sent, kind="multipart" if files else "form")


def with_file(pairs: Pairs) -> Pairs:
    return [(name, Kept(b"1 Q0 d1 1 9 tag\n") if name == "file" else value) for name, value in pairs]


class Kept(io.BytesIO):
    """A file that can be sent many times."""

    name = "file.txt"
    content_type = "text/plain"

    def read(self, size: int | None = -1) -> bytes:
        self.seek(0)
        return super().read(size)


def of_api(world: dict[str, Any]) -> Iterator[Sent]:
    """Every operation of the schema at its address, once with all that it takes and once with what it needs."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    for method, path, *_ in LINES:
        whole = urlsplit(path.format(**world))
        operation = operation_at(schema, method, whole.path)
        if operation is None:
            continue
        query = [(parameter["name"], sample(parameter["schema"], parameter["name"], schema, world))
                 for parameter in operation.get("parameters", []) if parameter["in"] == "query"]  # fmt: skip
        content = operation.get("requestBody", {}).get("content", {})
        body = content.get("application/json", {}).get("schema")
        for person in ("rita", "wim") if "/work/" in path else ("rita",):
            yield Sent(person, method, whole.path, query, sample(body, "", schema, world) if body else None, kind="json")
            if body:
                yield Sent(person, method, whole.path, [], sample(body, "", schema, world, needed=True), kind="json")
            if "multipart/form-data" in content:
                pairs = list(sample(content["multipart/form-data"]["schema"], "", schema, world).items())
                yield Sent(person, method, whole.path, [], with_file(pairs), kind="multipart")


def operation_at(schema: dict[str, Any], method: str, path: str) -> dict[str, Any] | None:
    for template, operations in schema["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
            return operations.get(method.lower())
    return None


def sample(shape: dict[str, Any], name: str, schema: dict[str, Any], world: dict[str, Any], *, needed: bool = False) -> Any:
    """A value of a schema's shape, with the world's ids under the names of things."""
    if "$ref" in shape:
        shape = schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]]
    for several in ("allOf", "oneOf", "anyOf"):
        if several in shape:
            return sample(shape[several][0], name, schema, world, needed=needed)
    if "enum" in shape or "default" in shape:
        return shape.get("default", next(iter(shape.get("enum", [])), None))
    if "properties" in shape:
        wanted = shape.get("required", []) if needed else shape["properties"]
        kept = {key: shape["properties"][key] for key in wanted if not shape["properties"][key].get("readOnly")}
        return {key: sample(value, key, schema, world, needed=needed) for key, value in kept.items()}
    return of_kind(shape, name, schema, world, needed)


def of_kind(shape: dict[str, Any], name: str, schema: dict[str, Any], world: dict[str, Any], needed: bool) -> Any:
    match shape.get("type"):
        case "array":
            return [sample(shape["items"], name.removesuffix("s"), schema, world, needed=needed)]
        case "integer":
            return world.get(name, world.get({"study": "running", "runs": "run"}.get(name, ""), int(shape.get("minimum", 1))))
        case "number":
            return float(shape.get("minimum", 0.5))
        case "boolean":
            return True
        case "object":
            return {}
    texts = {"date-time": "2026-11-20T10:00:00Z", "date": "2026-11-20", "uuid": "6f1c1d2e-0000-4000-8000-000000000001",
             "uri": "https://example.org/", "decimal": "0.50"}  # fmt: skip
    return "w{worker}".format(**world) if name == "worker" else texts.get(shape.get("format", ""), WORDS.get(name, "text"))


def records(world: dict[str, Any]) -> Iterator[Sent]:
    """What a site sends with its write key."""
    head = {"Authorization": f"Bearer {world['secret']}"}
    query = {
        "user_query": "owls", "query_id": "q9", "client_id": "c9", "timestamp": "2026-11-20T10:00:00Z",
        "query_response_hit_ids": ["d1", "d2"], "query_attributes": {"experiment": "started", "arm": "new"},
    }  # fmt: skip
    event = {
        "action_name": "click", "query_id": "q9", "client_id": "c9", "timestamp": "2026-11-20T10:00:05Z", "event_id": "e1",
        "event_attributes": {"object": {"object_id": "d1"}, "position": {"ordinal": 1}},
    }  # fmt: skip
    lists = {"experiment": "started", "client_id": "c9", "user_query": "owls", "lists": {"control": ["d1"], "new": ["d2", "d1"]}}
    for path, content in [("log/", [query, event]), ("log/queries/", [query]), ("log/events/", event), ("interleavings/", lists)]:
        yield Sent("nobody", "POST", f"/api/v1/{path}", [], content, kind="json", headers=dict(head))
    parameters = [("experiment", "started"), ("client_id", "c9")]
    yield Sent("nobody", "GET", "/api/v1/assignments/", parameters, kind="json", headers=dict(head))
    message = {"event_type": "submission.status.change", "status": "APPROVED", "resource_id": "s1"}
    yield Sent("nobody", "POST", f"/hooks/{world['channel']}/", [], message, kind="json")
    link = [("PROLIFIC_PID", "p1"), ("STUDY_ID", "t1"), ("SESSION_ID", "s1")]
    yield Sent("nobody", "GET", f"/arrive/{world['address']}/", link)


def of_admin() -> Iterator[Sent]:
    for route, _ in all_routes(get_resolver()):
        if route.startswith("admin/") and "<" not in route and "(" not in route:
            yield Sent("ada", "GET", f"/{route}", [("q", "owls"), ("o", "1"), ("p", "0")])
