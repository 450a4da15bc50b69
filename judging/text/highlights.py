"""Texts of documents with the query's words marked."""

import re
from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString, mark_safe

from judging.text.extracts import LONG, Hit, passages
from judging.text.languages import Language, language_of
from judging.text.wraps import flowing

UNMARKABLE = re.compile("[\x02\x03]")  # they stand for <mark> and </mark> until all else is escaped


def marked(text: str, query: str) -> SafeString:
    """The text, escaped, with the query's words in <mark>.

    >>> marked("Voles & owls, owlishly", "the owl")
    'Voles &amp; <mark>owls</mark>, owlishly'
    >>> marked("Il gufo e le migrazioni", "migrazione dei gufi")
    'Il <mark>gufo</mark> e le <mark>migrazioni</mark>'
    """
    text = plain(text)
    return with_marks(text, hits(text, query))


def plain(text: str) -> str:
    """The text as a browser will count its characters: each of its own stays where it is. Hard-wrapped lines flow."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return flowing(UNMARKABLE.sub(" ", text))


def hits(text: str, query: str, language: Language | None = None) -> list[Hit]:
    """The hits of the query's words in the text, whatever their endings. `language` where the text is a piece of another."""
    language = language or language_of(text, query)
    candidates, wanted = language.candidates(query), language.stems(query)
    if candidates is None:
        return []
    return [Hit(*word.span(), stem) for word in candidates.finditer(text) if (stem := language.stem(word[0])) in wanted]


def with_marks(text: str, matches: Iterable[Hit]) -> SafeString:
    pieces: list[str] = []
    at = 0
    for start, end, _ in matches:
        pieces += text[at:start], "\x02", text[start:end], "\x03"
        at = end
    html = escape("".join(pieces) + text[at:])
    return mark_safe(html.replace("\x02", "<mark>").replace("\x03", "</mark>"))  # noqa: S308  escaped, then marked


def marked_with_extract(text: str, query: str) -> tuple[SafeString, SafeString]:
    """The text, escaped and marked, and of a long one the passages to read first, each saying which character it begins with."""
    text = plain(text)
    matches = hits(text, query)
    return with_marks(text, matches), extract(text, matches) if len(text) > LONG else SafeString()


def extract(text: str, matches: list[Hit]) -> SafeString:
    html, before = "", 0
    for start, end in passages(text, matches):
        inside = [Hit(hit.start - start, hit.end - start, hit.stem) for hit in matches if start <= hit.start and hit.end <= end]
        html += f'{"… " if start > before else ""}<span data-start="{start}">{with_marks(text[start:end], inside)}</span> '
        before = end
    return mark_safe(html + ("…" if before < len(text) else ""))  # noqa: S308  escaped, then marked
