"""Changes to a request: each takes one and a source of chance, and leaves the request worse than it was."""

import copy
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

from tests.hostile.sent import RawJson, Sent
from tests.hostile.values import BODIES, CONTENT_TYPES, HEADERS, METHODS, NODES, NUMBERS, RAW_NODES, TEXTS

Mutation = Callable[[Sent, Random], None]


def mutated(sent: Sent, chance: Random) -> Sent:
    """A copy with one to three changes."""
    mutant = copy.deepcopy(sent)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        chance.choice(MUTATIONS)(mutant, chance)
    return mutant


def hostile(chance: Random) -> str:
    return chance.choice(NUMBERS if chance.random() < 0.35 else TEXTS)


def change_path(sent: Sent, chance: Random) -> None:
    parts = sent.path.split("/")
    places = [place for place, part in enumerate(parts) if part]
    ids = [place for place in places if any(character.isdigit() for character in parts[place])]
    if places:
        place = chance.choice(ids or places)
        parts[place] = quote(hostile(chance)[:2000], safe="", errors="surrogatepass") or "0"
        sent.path = "/".join(parts)


def change_query(sent: Sent, chance: Random) -> None:
    """A value, a name, one more, or one twice."""
    names = [name for name, _ in sent.query] or ["page", "q", "sort", "format", "file", "limit", "topic", "run", "offset"]
    name = chance.choice(names) if chance.random() < 0.9 else hostile(chance)
    if chance.random() < 0.7:
        sent.query = [pair for pair in sent.query if pair[0] != name]
    sent.query.append((name, hostile(chance)[:20_000]))


def change_body(sent: Sent, chance: Random) -> None:
    if sent.kind == "json" and isinstance(sent.content, dict | list) and sent.content:
        change_node(sent.content, chance)
    elif isinstance(sent.content, list) and sent.content:
        place = chance.randrange(len(sent.content))
        sent.content[place] = (sent.content[place][0], hostile(chance))
    else:
        change_query(sent, chance)


def change_node(node: Any, chance: Random) -> None:
    """Something in a JSON body, at any depth, becomes something else."""
    key = chance.choice(list(node) if isinstance(node, dict) else range(len(node)))
    inner = node[key]
    if isinstance(inner, dict | list) and inner and chance.random() < 0.6:
        change_node(inner, chance)
    else:
        text, other, raw = hostile(chance), copy.deepcopy(chance.choice(NODES)), RawJson(chance.choice(RAW_NODES))
        node[key] = chance.choice([text, other, raw])


def drop_or_double(sent: Sent, chance: Random) -> None:
    if isinstance(sent.content, dict) and sent.content:
        name = chance.choice(list(sent.content))
        if chance.random() < 0.5:
            del sent.content[name]
        else:
            sent.content[hostile(chance)[:200]] = sent.content[name]
    elif isinstance(sent.content, list) and sent.content:
        place = chance.randrange(len(sent.content))
        sent.content[place : place + 1] = [] if chance.random() < 0.5 else [sent.content[place]] * 3
    else:
        change_query(sent, chance)


def break_body(sent: Sent, chance: Random) -> None:
    body, content_type = sent.body()
    kept = sent.content_type or content_type
    cut = body[: chance.randrange(len(body))] if body and chance.random() < 0.5 else chance.choice(BODIES)
    sent.kind, sent.content, sent.content_type = "bytes", cut, kept


def change_content_type(sent: Sent, chance: Random) -> None:
    sent.content_type = chance.choice(CONTENT_TYPES)


def change_method(sent: Sent, chance: Random) -> None:
    sent.method = chance.choice(METHODS)


def change_header(sent: Sent, chance: Random) -> None:
    name = chance.choice(list(HEADERS))
    sent.headers[name] = chance.choice(HEADERS[name])


MUTATIONS: list[Mutation] = [
    *[change_path] * 2, *[change_query] * 4, *[change_body] * 8, *[drop_or_double] * 2, *[change_header] * 2,
    break_body, change_content_type, change_method,
]  # fmt: skip
