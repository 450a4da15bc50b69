import re

from django import template
from django.utils.html import format_html

from judging.models import Judgement, Study
from judging.studies.translations import translated
from judging.text.languages import foreign
from judging.text.library_words import in_reader_language, worded
from judging.text.markdown_html import markdown
from judging.text.passages import passage_words
from judging.views.item_page import evidence, questions

MARK = re.compile("</?mark>")

register = template.Library()
register.filter("engine", in_reader_language)
register.filter("worded", worded)
register.filter("markdown", markdown)
register.filter("translation", translated)
register.filter("evidence", evidence)
register.filter("questions", questions)


@register.filter
def each_said(texts: list[str], study: Study) -> list[str]:
    return [translated(text, study) for text in texts]


@register.filter
def lang(text: str) -> str:
    """The attribute for the element of a text, perhaps with marks, in another language than the page's."""
    code = foreign(MARK.sub("", text))
    return format_html(' lang="{}"', code) if code else ""


@register.filter
def lowfirst(text: str) -> str:
    """A label within a sentence; the nouns of some languages keep their capitals.

    >>> lowfirst("Alle Themen")
    'alle Themen'
    """
    return text[:1].lower() + text[1:]


@register.filter
def quotes(judgement: Judgement) -> list[str]:
    """The words of the passages that speak for the grade."""
    return passage_words(judgement.passages, judgement.item.document.text)
