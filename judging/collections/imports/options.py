"""Options of an import beside its kind: formats and others, checked in one place for forms and the API."""

from collections.abc import Callable, Iterable
from typing import Any

from judging.collections.imports.qrels_files import FORMATS as QRELS_FORMATS
from judging.collections.imports.topics import NUMBERINGS
from judging.collections.parsers import SCALES, choices
from judging.errors import Unacceptable


class BadOption(Unacceptable):
    """Something that this kind of file does not have; the text says what it has."""


def yes_or_no(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise BadOption(f"expected true or false, got {value!r}")


def one_of(words: Iterable[str]) -> Callable[[Any], str]:
    allowed = tuple(words)

    def clean(value: Any) -> str:
        if value in allowed:
            return value
        raise BadOption(f"expected one of {', '.join(allowed)}, got {value!r}")

    return clean


def text(value: Any) -> str:
    if isinstance(value, str) and len(value) <= 10_000 and "\0" not in value:
        return value.strip()
    raise BadOption("expected a text of at most 10,000 characters")


FORMATS: dict[str, dict[str, str]] = {
    "documents": dict(choices("documents")),
    "topics": dict(choices("topics")),
    "qrels": QRELS_FORMATS,
    "run": {"auto": "Tell from the file (TREC or Parquet)"},
    "results": dict(choices("results"))
    | {"tsv": "TSV table with a header", "jsonl": "JSON Lines: one object a line, a result or a list of them"},
    "images": {"auto": "Tell from the file (PNG, JPEG, WebP, GIF, or a zip of them)"},
}
OPTIONS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "documents": {"only_mentioned": yes_or_no},
    "topics": {"number_topics": one_of(NUMBERINGS)},
    "qrels": {"scale": one_of(SCALES), "sparse": yes_or_no, "skip_unknown_topics": yes_or_no, "description": text},
    "run": {"skip_unknown_topics": yes_or_no, "description": text},
    "results": {"skip_unknown_topics": yes_or_no, "description": text},
    "images": {},
}


def clean_options(kind: str, format: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options as `check_…` takes them. Raises BadOption for a kind, a format or an option that does not exist."""
    if kind not in OPTIONS:
        raise BadOption(f"kind: expected one of {', '.join(OPTIONS)}, got {kind!r}")
    if format not in FORMATS[kind]:
        raise BadOption(f"format: for {kind}, expected one of {', '.join(FORMATS[kind])}, got {format!r}")
    return {name: clean_option(kind, name, value) for name, value in options.items()}


def clean_option(kind: str, name: str, value: Any) -> Any:
    if name not in OPTIONS[kind]:
        raise BadOption(f"{name}: no option for {kind}; expected {', '.join(OPTIONS[kind])}")
    try:
        return OPTIONS[kind][name](value)
    except BadOption as bad:
        raise BadOption(f"{name}: {bad}") from None
