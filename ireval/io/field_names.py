"""Columns and keys: the names that people give to the fields of each kind, first match first."""

from collections.abc import Iterable, Mapping

from ireval.translatable import Phrase

MOST_COLUMNS = 1000  # or keys of an object

Aliases = Mapping[str, tuple[str, ...]]

DOCUMENT: Aliases = {
    "docno": ("docno", "doc_id", "docid", "document_id", "id", "_id"),
    "title": ("title", "headline"),
    "text": ("text", "body", "content", "contents", "abstract"),
    "url": ("url",),
    "html": ("html",),
}
TOPIC: Aliases = {
    "number": ("topic", "qid", "query_id", "topic_id", "number", "num", "id", "_id"),
    "title": ("title", "query", "text"),
    "description": ("description", "desc", "question"),
    "narrative": ("narrative", "narr"),
}
# Beside those of a topic, wherever it comes from: a file may have several, and all of them count.
TAGS: Aliases = {"tags": ("tags",), "type": ("type",), "category": ("category",)}
RESULT: Aliases = {
    "topic": ("topic", "qid", "query_id", "topic_id"),
    "rank": ("rank", "position"),
    "docno": ("docno", "doc_id", "docid", "document_id", "id", "_id"),
    "title": ("title", "headline"),
    "url": ("url", "link", "href"),
    "snippet": ("snippet", "summary", "description", "text"),
    "system": ("system", "run", "engine"),
}


def normalised(name: str) -> str:
    """A column's name as it is compared: "Doc ID" is doc_id.

    >>> normalised(" Doc ID ")
    'doc_id'
    """
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def names_by_field(aliases: Aliases, names: Iterable[str]) -> dict[str, str]:
    """The name that was used for each field, for those fields that have one.

    >>> names_by_field(TOPIC, ["QID", "Query"])
    {'number': 'QID', 'title': 'Query'}
    """
    written = {normalised(name): name for name in names}
    chosen = {field: next((written[alias] for alias in wanted if alias in written), None) for field, wanted in aliases.items()}
    return {field: name for field, name in chosen.items() if name is not None}


def expected(aliases: Aliases, field: str) -> Phrase:
    """The accepted names of a field, for a message.

    >>> expected(TOPIC, "narrative")
    '"narrative" or "narr"'
    """
    *names, last = [f'"{alias}"' for alias in aliases[field]]
    return Phrase("%(names)s or %(last)s", names=", ".join(names), last=last) if names else Phrase("%(name)s", name=last)


def too_many_columns(count: int) -> Phrase:
    return Phrase("has %(n)s columns; at most %(most)s are accepted", n=f"{count:,}", most=f"{MOST_COLUMNS:,}")
