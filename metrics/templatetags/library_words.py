"""What the library says, as pages show it."""

from django import template

from judging.text import library_words

register = template.Library()
register.filter("sentence", library_words.sentence_of)
register.filter("unit", library_words.unit_of)


@register.filter
def in_reader_language(text: str | None) -> str:
    return library_words.in_reader_language(text) if text else ""
