"""A few lines of a result, the query's words marked, and what more of it to show on request."""

from collections.abc import Iterable
from typing import NamedTuple

from django.utils.safestring import SafeString, mark_safe

from judging.text.extracts import LONG, PASSAGE, REACH, Hit, Span, densest, ending, passages, widened
from judging.text.highlights import hits, plain, with_marks


class Snippet(NamedTuple):
    short: SafeString
    long: SafeString  # empty where the short one is all there is


def snippet_of_text(text: str, query: str) -> Snippet:
    """The lines of a document in which most of the query's words stand together.

    >>> snippet_of_text("Owls eat voles.", "owl").short
    '<mark>Owls</mark> eat voles.'
    """
    text = in_one_line(text)
    matches = hits(text, query)
    best = widened(text, next(iter(densest(matches)), Span(0, 0)))
    return snippet_of_spans(text, matches, best, passages(text, matches) if len(text) > LONG else [Span(0, len(text))])


def snippet_of_result(text: str, query: str) -> Snippet:
    """The beginning of a snippet that came with the result."""
    text = in_one_line(text)
    first = Span(0, ending(text, PASSAGE, PASSAGE - REACH))
    return snippet_of_spans(text, hits(text, query), first, [Span(0, ending(text, LONG, LONG - REACH))])


def in_one_line(text: str) -> str:
    return " ".join(plain(text).split())


def snippet_of_spans(text: str, matches: list[Hit], short: Span, long: Iterable[Span]) -> Snippet:
    if len(text) <= PASSAGE + REACH:
        return Snippet(with_marks(text, matches), SafeString())
    return Snippet(pieces(text, matches, [short]), pieces(text, matches, long))


def pieces(text: str, matches: list[Hit], spans: Iterable[Span]) -> SafeString:
    html, before = "", 0
    for start, end in spans:
        inside = [Hit(hit.start - start, hit.end - start, hit.stem) for hit in matches if start <= hit.start and hit.end <= end]
        html += f"{'… ' if start > before else ''}{with_marks(text[start:end], inside)} "
        before = end
    return mark_safe(html + "…" if before < len(text) else html.rstrip())  # noqa: S308  escaped, then marked
