"""A pair of result lists as a worker sees them, and what comes back from their page.

Nothing here says whose lists they are: no run, no docno; both are shown by the same markup, and which stands where is chance.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from django.db.models.functions import Left
from django.http import QueryDict
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.models import Comparison, Document, Item, Judgement, Slot, Study, Worker
from judging.recruiting.identity import Offer
from judging.text.highlights import marked
from judging.text.languages import foreign
from judging.text.snippets import snippet_of_result, snippet_of_text
from judging.views.document import address_for_readers, address_for_workers, attachment_list, document_files
from judging.work.frozen_pages import Frozen, hole
from judging.work.pair_answers import PairAnswer, as_seen, chosen_reasons, read_interactions, read_marks, read_seen, steps, words

SIDES = ("left", "right")
SEARCHED = 20_000  # characters of a document among which its snippet is chosen
LABELS = {Judgement.CannotJudge.UNREADABLE: gettext_lazy("The results are empty, broken or unreadable")}
REASONS = [(value, LABELS.get(Judgement.CannotJudge(value), label)) for value, label in Judgement.CannotJudge.choices]

Row = dict[str, Any]  # of a listing


@dataclass(frozen=True)
class Choice:
    key: int
    step: int
    words: str
    is_given: bool


def choices(comparison: Comparison, standing: Judgement | None = None) -> list[Choice]:
    """The answers from left to right, with the digit that gives each."""
    chosen = step_given(standing) if standing else None
    return [Choice(key, step, words(step, comparison), step == chosen) for key, step in enumerate(steps(comparison), 1)]


def step_given(standing: Judgement) -> int | None:
    kept = standing.preference
    return None if standing.grade is None or kept.both_bad else as_seen(standing.grade, swapped=kept.swapped)


def marks_given(standing: Judgement) -> list[list[int]]:
    """The marks as the page has them: [[side, place, grade], …]."""
    kept = standing.preference
    return [[side ^ kept.swapped, place, grade] for side, place, grade in kept.marks]


def evidence(item: Item, name: str, *, swapped: bool, standing: Judgement | None = None, is_preview: bool = False) -> SafeString:
    """The topic and both lists."""
    rows, topic = sides(item, swapped=swapped), item.topic
    documents = documents_of([*rows[0], *rows[1]])
    places = [{row["docno"]: place for place, row in enumerate(here)} for here in rows]
    marks = {(side, place): grade for side, place, grade in marks_given(standing)} if standing else {}
    lists: list[list[SafeString]] = [[], []]
    for side, here in enumerate(rows):
        for place, row in enumerate(here):
            document = documents.get(row["document"])
            address = page_of(document) if is_preview else address_of(item.study_id, name, side, place)
            also, mark = places[1 - side].get(row["docno"]), marks.get((side, place))
            values = {"address": address, "place": place, **other_place(also), **lines_of(row, document, topic.title)}
            lists[side].append(line(values, side=side, mark=mark, marks=item.study.comparison.marks_results))
    need = topic.narrative or topic.description not in ("", topic.title)
    topic_lang = foreign(f"{topic.title} {topic.description} {topic.narrative}")
    context = {
        "topic": topic,
        "topic_lang": topic_lang,
        "need": need,
        "attachments": attachments_of(item, is_preview=is_preview),
        "lists": lists,
        "shared": len(places[0].keys() & places[1].keys()),
    }
    return SafeString(render_to_string("judging/_lists.html", context))


def attachments_of(item: Item, *, is_preview: bool) -> SafeString:
    if not getattr(item, "has_files", True):
        return SafeString()
    address = address_for_readers if is_preview else address_for_workers(item.study_id)
    return attachment_list(list(item.topic.attachments.filter(removed=None)), address)


def other_place(place: int | None) -> dict[str, int]:
    """The template's values for where the same result stands on the other side."""
    return {} if place is None else {"also": place, "number": place + 1}


def lines_of(row: Row, document: Any, query: str) -> dict[str, str]:
    """What is read of a result in a list."""
    text = row.get("snippet") or (document.beginning if document else "")
    snippet = snippet_of_result(text, query) if row.get("snippet") else snippet_of_text(text, query)
    lines = {"title": title(row, document, query), "host": host(row, document), "short": snippet.short, "long": snippet.long}
    return lines | {"lang": foreign(text)}


def line(values: dict[str, Any], *, side: int, mark: int | None, marks: bool) -> SafeString:
    names = tuple(name for name, value in values.items() if value != "")
    return frozen_line(translation.get_language(), names, side, mark, marks).fill(**values)


@lru_cache(maxsize=256)
def frozen_line(language: str, names: tuple[str, ...], side: int, mark: int | None, marks: bool) -> Frozen:
    """The template of a result with these fields. Rendering twenty of them anew would cost most of the page."""
    with translation.override(language):
        return Frozen("judging/_line.html", {"side": side, "mark": mark, "marks": marks, **{name: hole(name) for name in names}})


def sides(item: Item, *, swapped: bool) -> tuple[list[Row], list[Row]]:
    """What stands on the left and on the right."""
    assert item.first and item.second
    first, second = item.first.results, item.second.results
    return (second, first) if swapped else (first, second)


def documents_of(rows: list[Row]) -> dict[int, Document]:
    """The documents of these rows by key, in one query, with the beginning of their text."""
    keys = {row["document"] for row in rows if row["document"]}
    documents = Document.objects.filter(pk__in=keys).annotate(beginning=Left("text", SEARCHED)).only("title", "url")
    return {document.pk: document for document in documents}


def title(row: Row, document: Document | None, query: str) -> SafeString:
    name = row.get("title") or (document and document.title) or address_outside(row, document)
    return marked(name or _("Without a title"), query)


def address_outside(row: Row, document: Document | None) -> str:
    """The address at which a result is to be read. A document's own comes first: it is the same in both lists."""
    url = (document and document.url) or row.get("url") or ""
    return url if url.startswith(("http://", "https://")) else ""


def host(row: Row, document: Document | None) -> str:
    try:
        return urlsplit(address_outside(row, document)).hostname or ""
    except ValueError:
        return ""


def address_of(study_id: int, name: str, side: int, place: int) -> str:
    return reverse("judge_result", args=[study_id, name, SIDES[side], place])


def page_of(document: Document | None) -> str:
    """The document's page, for researchers who try the page."""
    return reverse("document", args=[document.pk]) if document else ""


# One result, whole


@dataclass(frozen=True)
class FullResult:
    """A result with its whole text; of a document with HTML its page, too, and the images that are no part of that."""

    side: int
    number: int
    query: str
    title: SafeString
    text: SafeString
    url: str
    frame: SafeString | str
    images: SafeString | str


def full_result(worker: Worker, item: int | None, side: int, place: int) -> FullResult | None:
    """A result of a pair that the worker is shown, or has judged. None: there are not so many."""
    item_seen, swapped = pair_seen(worker, item)
    rows = sides(item_seen, swapped=swapped)[side]
    if place >= len(rows):
        return None
    row, query = rows[place], item_seen.topic.title
    document = Document.objects.filter(pk=row["document"] or 0).only("collection", "docno", "title", "url", "text").first()
    text = (document and document.text) or row.get("snippet") or ""
    name, url = title(row, document, query), address_outside(row, document)
    address = address_for_workers(worker.study_id)
    files = document_files(document, query, address) if document else {"frame": "", "images": ""}
    return FullResult(side, place + 1, query, name, marked(text, query), url, **files)


def pair_seen(worker: Worker, item: int | None) -> tuple[Item, bool]:
    """The pair, and how it stood: as it is held now, else as it was judged last. 404 where neither is so."""
    pairs = {"worker": worker, "item": item, "item__first__isnull": False}
    lists = ("item__topic", "item__first", "item__second")
    slot = Slot.objects.filter(**pairs, judged_at__isnull=True).select_related(*lists).first()
    if slot:
        return slot.item, slot.swapped
    judgements = Judgement.objects.select_related(*lists, "preference")
    standing = get_object_or_404(judgements.standing(), **pairs)
    return standing.item, standing.preference.swapped


# What comes back


def read(form: QueryDict, offer: Offer, study: Study) -> dict[str, Any]:
    """What an answer to a pair has of its own. Sides become lists: which stood where was signed."""
    marks = form.get("marks") or f"[{','.join(form.getlist('marked'))}]"  # without a script each is a field
    reasons = [text for name, text in form.items() if name.startswith("reason-")]
    pair_answer = PairAnswer(
        swapped=offer.swapped,
        both_bad="both_bad" in form,
        reasons=chosen_reasons(map(str, reasons), study.comparison),
        marks=read_marks(marks, swapped=offer.swapped, depth=study.depth),
        interactions=read_interactions(form.get("interactions", ""), swapped=offer.swapped, depth=study.depth),
        seen=read_seen(form.get("seen", ""), swapped=offer.swapped, depth=study.depth),
    )
    return {"grade": read_grade(form, swapped=offer.swapped), "pair": pair_answer}


def read_grade(form: QueryDict, *, swapped: bool) -> int | None:
    if "both_bad" in form:
        return 0
    step = form.get("grade", "")
    return as_seen(int(step), swapped=swapped) if step else None
