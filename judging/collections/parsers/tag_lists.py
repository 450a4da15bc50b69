"""Tags: short words for the kind of a topic, such as navigational, hard or sports."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ireval.translatable import Phrase
from judging.collections.parsers.parsed_records import one_line

MOST_TAGS = 20  # of a topic
LONGEST_TAG = 60
SEPARATOR = re.compile("[,;]")


class BadTags(ValueError):
    """Tags that cannot be kept, and why."""

    def __init__(self, why: Phrase):
        super().__init__(why)
        self.why = why


def clean_tags(written: Iterable[Any]) -> list[str]:
    """The tags in texts, or lists of them, that commas or semicolons separate: each once, in their order.

    A number is taken as its text, null as none. Raises BadTags for anything else, for a tag that is too long or cannot be
    printed, and for too many.

    >>> clean_tags(["navigational; hard,  ", ["hard", "air  travel", None], 7])
    ['navigational', 'hard', 'air travel', '7']
    """
    pieces = (piece for text in texts(written) for piece in SEPARATOR.split(text))
    tags = list(dict.fromkeys(filter(None, map(one_line, pieces))))
    for tag in tags:
        if not tag.isprintable():  # first: what is said of other tags repeats them
            raise BadTags(Phrase("%(tag)s contains a character that cannot be printed", tag=ascii(tag[:LONGEST_TAG])))
        if len(tag) > LONGEST_TAG:
            raise BadTags(
                Phrase(
                    "“%(tag)s…” has %(number)s characters; at most %(most)s are accepted",
                    tag=tag[:LONGEST_TAG],
                    number=f"{len(tag):,}",
                    most=LONGEST_TAG,
                )
            )
    if len(tags) > MOST_TAGS:
        raise BadTags(Phrase("there are %(number)s; at most %(most)s are accepted", number=f"{len(tags):,}", most=MOST_TAGS))
    return tags


def texts(written: Iterable[Any]) -> Iterator[str]:
    for value in written:
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, bool) or not isinstance(text, str | int | float | None):
                raise BadTags(Phrase("expected a text or a list of texts"))
            if text is not None:
                yield str(text)
