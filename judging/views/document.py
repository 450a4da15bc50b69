"""A topic and a document as people read them: plain text with the query's words marked, or its HTML in a frame; images, files.

The frame runs no script and leads nowhere. Its HTML is cleaned (judging.text.document_html), and it is sandboxed without scripts
and forms. Its own policy adds to the page's that nothing is fetched but our style and images of our own. It has the page's
origin: without it, its images would come without the cookie that opens them. Nor could the page's script tell how high it is.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from judging.collections.document_images import images_of
from judging.models import Attachment, Document, Image, Item, Markup, Topic
from judging.text.document_html import Cleaned, cleaned, with_images, with_marked_words
from judging.text.highlights import marked, marked_with_extract
from judging.text.languages import foreign, spoken_in
from judging.work.frozen_pages import Frozen, hole

Address = Callable[[Image | Attachment], str]


def topic_and_document(item: Item, *, is_preview: bool = False) -> SafeString:
    topic, document = item.topic, item.document
    values = {
        "query": topic.title,
        "description": topic.description if topic.description != topic.title else "",
        "narrative": topic.narrative,
        "topic_lang": foreign(f"{topic.title} {topic.description} {topic.narrative}"),
        "title": marked(document.title, topic.title),
        "lang": foreign(f"{document.title} {document.text}"),
        "url": document.url,
        **(files_to_show(item, is_preview=is_preview) if getattr(item, "has_files", True) else {}),
    }
    if values.get("frame"):
        values["text"] = marked(document.text, topic.title)
    else:
        values["text"], values["extract"] = marked_with_extract(document.text, topic.title)
    names = tuple(name for name, value in values.items() if value)
    return frozen_evidence(translation.get_language(), names).fill(**values)


@lru_cache(maxsize=256)
def frozen_evidence(language: str, names: tuple[str, ...]) -> Frozen:
    """The template of topics and documents with these fields. Its few words, looked up for every item, cost a tenth of the
    page."""
    holes = {name: hole(name) for name in names}
    topic = Topic(title=holes.get("query", ""), description=holes.get("description", ""), narrative=holes.get("narrative", ""))
    with translation.override(language):
        return Frozen("judging/_evidence.html", {"topic": topic, **holes})


def files_to_show(item: Item, *, is_preview: bool) -> dict[str, Any]:
    """What of topic and document is no plain text, each piece as HTML."""
    address = address_for_readers if is_preview else address_for_workers(item.study.pk)
    attachments = list(Attachment.objects.filter(topic=item.topic_id, removed=None))
    return {
        **document_files(item.document, item.topic.title, address),
        "attachments": attachment_list(attachments, address),
    }


def document_files(document: Document, query: str, address: Address) -> dict[str, Any]:
    """The document's HTML as the page in its frame, and the images beneath it."""
    html = Markup.objects.filter(document=document.pk).values_list("html", flat=True).first() or ""
    page = cleaned(html) if html else Cleaned("", ())
    placed, beneath = images_of(document, page.sources)
    body = with_images(page, {source: address(image) for source, image in placed.items()})
    return {
        "frame": framed(with_marked_words(body, query), spoken_in(document.text)) if html else "",
        "images": image_list(beneath, address),
    }


def framed(body: str, language: str) -> SafeString:
    """The page of a frame as the frame's attribute has it: all of it is escaped once more."""
    return escape(frame().fill(body=mark_safe(body), language=language))  # noqa: S308  cleaned


@lru_cache(maxsize=1)
def frame() -> Frozen:
    return Frozen("judging/document_frame.html", {"body": hole("body"), "language": hole("language")})


def attachment_list(attachments: list[Attachment], address: Address) -> SafeString:
    rows = [(attachment, address(attachment)) for attachment in attachments]
    return render_to_string("judging/_attachments.html", {"attachments": rows}) if rows else SafeString()


def image_list(images: list[Image], address: Address) -> SafeString:
    rows = [(image, address(image)) for image in images]
    return render_to_string("judging/_images.html", {"images": rows}) if rows else SafeString()


def address_for_readers(file: Image | Attachment) -> str:
    """For whoever may read the collection."""
    return reverse("image" if isinstance(file, Image) else "attachment", args=[file.pk])


def address_for_workers(study_id: int) -> Address:
    """For the study's workers, who need not be able to read the collection."""
    return lambda file: reverse("judge_image" if isinstance(file, Image) else "judge_attachment", args=[study_id, file.pk])
