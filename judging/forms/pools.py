"""Fields for the topics of a pool."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from judging.collections.topic_tags import tag_counts
from judging.models import Collection

SEPARATOR = re.compile(r"[\s,;]+")
LONGEST = 200_000


class TagsField(forms.MultipleChoiceField):
    """Tags of a collection's topics."""

    widget = forms.CheckboxSelectMultiple

    def offer(self, collection: Collection, kept: list[str]) -> None:
        """Offer the collection's tags, and those that are chosen already even where no topic has them any more."""
        counts = dict.fromkeys(kept, 0) | dict(tag_counts(collection.topics.all()))
        self.choices = [(tag, f"{tag} ({count:,})") for tag, count in sorted(counts.items())]


class TopicsField(forms.CharField):
    """Numbers of a collection's topics: one a line, or several with commas or spaces between."""

    widget = forms.Textarea(attrs={"rows": 3, "class": "code"})
    collection: Collection

    def __init__(self, **options: Any):
        super().__init__(max_length=LONGEST, **options)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        """The numbers, each once, in their order. A number may have spaces where it has a line to itself."""
        return numbers_in(super().clean(value), set(self.collection.topics.values_list("number", flat=True)))


def numbers_in(text: str, known: set[str]) -> list[str]:
    """
    >>> numbers_in("1, 2\\nA 3\\n2", {"1", "2", "A 3"})
    ['1', '2', 'A 3']
    """
    lines = filter(None, map(str.strip, text.splitlines()))
    pieces = (piece for line in lines for piece in ([line] if line in known else SEPARATOR.split(line)) if piece)
    numbers = list(dict.fromkeys(pieces))
    if unknown := [number for number in numbers if number not in known]:
        first, more = unknown[0][:100], len(unknown) - 1
        if not more:
            raise forms.ValidationError(_("Topic “%(topic)s”: not in this collection.") % {"topic": first})
        raise forms.ValidationError(
            _("Topic “%(topic)s” and %(count)s more: not in this collection.") % {"topic": first, "count": f"{more:,}"}
        )
    return numbers
