"""A request as data, so that it can be changed in any part before it is sent."""

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from django.test.client import Client, encode_multipart

from ireval_site.content_types import plain_type

BOUNDARY = "BoUnDaRy"
Pairs = list[tuple[str, Any]]


class Visitor(Client):
    """A browser or program whose requests go through what stands before Django."""

    def request(self, **request: Any) -> Any:
        if "CONTENT_TYPE" in request:
            request["CONTENT_TYPE"] = plain_type(request["CONTENT_TYPE"])
        return super().request(**request)


class RawJson:
    """What stands in a JSON body as it is written, whatever that is."""

    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return f"RawJson({self.text[:40]!r})"


@dataclass
class Sent:
    """A request by one of the world's people. `content` is of the body: pairs, an object, or bytes as they are."""

    person: str
    method: str
    path: str
    query: Pairs = field(default_factory=list)
    content: Any = None
    kind: str = "form"
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str | None = None

    def target(self) -> str:
        query = urlencode(self.query, doseq=False, encoding="utf-8", errors="surrogatepass")
        return quote(self.path, safe="/%:@", encoding="utf-8", errors="surrogatepass") + (f"?{query}" if query else "")

    def body(self) -> tuple[bytes, str]:
        written, kind = WRITERS[self.kind](self.content)
        return written, kind if self.content_type is None else self.content_type

    def by(self, client: Any) -> Any:
        body, content_type = self.body()
        extra = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in self.headers.items()}
        for name in ("CONTENT_LENGTH",):
            if f"HTTP_{name}" in extra:
                extra[name] = extra.pop(f"HTTP_{name}")
        return client.generic(self.method, self.target(), body, content_type=content_type, **extra)

    def __str__(self) -> str:
        body, content_type = self.body()
        return f"{self.person}: {self.method[:20]} {self.target()[:300]} {content_type[:60]} {self.headers!r:.200} {body[:400]!r}"


def as_json(content: Any) -> tuple[bytes, str]:
    marks: dict[str, str] = {}

    def written(node: Any) -> Any:
        if isinstance(node, RawJson):
            mark = f"@@{len(marks)}@@"
            marks[f'"{mark}"'] = node.text
            return mark
        if isinstance(node, dict):
            return {name: written(value) for name, value in node.items()}
        return [written(value) for value in node] if isinstance(node, list) else node

    text = json.dumps(written(content))
    for mark, raw in marks.items():
        text = text.replace(mark, raw)
    return text.encode("utf-8", "surrogatepass"), "application/json"


def as_form(content: Pairs | None) -> tuple[bytes, str]:
    written = urlencode(content or [], encoding="utf-8", errors="surrogatepass")
    return written.encode(), "application/x-www-form-urlencoded"


def as_multipart(content: Pairs | None) -> tuple[bytes, str]:
    fields: dict[str, list] = {}
    for name, value in content or []:
        fields.setdefault(name, []).append(value if hasattr(value, "read") else clean(value))
    return encode_multipart(BOUNDARY, fields), f"multipart/form-data; boundary={BOUNDARY}"


def clean(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode()


def as_bytes(content: bytes | None) -> tuple[bytes, str]:
    return content or b"", "application/octet-stream"


WRITERS = {"json": as_json, "form": as_form, "multipart": as_multipart, "bytes": as_bytes}
