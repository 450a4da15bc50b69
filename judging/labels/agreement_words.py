"""What the engine says of coefficients of agreement, in the reader's language: the engine knows no language but English."""

import re

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

SAID = (
    _("percent agreement of pairs"),
    _("Cohen's κ"),
    _("Cohen's κ, linear weights"),
    _("Cohen's κ, quadratic weights"),
    _("Cohen's κ, mean over %(pairs)s pairs of workers"),
    _("Cohen's κ, quadratic weights, mean over %(pairs)s pairs of workers"),
    _("Fleiss' κ"),
    _("Krippendorff's α, nominal"),
    _("Krippendorff's α, ordinal"),
    _("there is one worker only"),
    _("there are %(workers)s workers, and it compares two"),
    _("the two workers have no item in common"),
    _("no item has two labels"),
    _("only the label %(label)s is in use"),
    _("no two workers have %(least)s items in common"),
    _("in each pair of workers both use one label only"),
    _("there is a single topic"),
    _("there is a single worker"),
    _("items have from %(least)s to %(most)s labels, and it needs the same number everywhere"),
    _("a single topic has no interval"),
    _("a single item has no interval"),
    _("with %(count)s topics the interval may be too narrow: %(enough)s are needed"),
    _("with %(count)s items the interval may be too narrow: %(enough)s are needed"),
    _(
        "with %(count)s topics, which say as much as %(equal)s of equal size, the interval may be too narrow: "
        "%(enough)s are needed"
    ),
    _(
        "with %(count)s items, which say as much as %(equal)s of equal size, the interval may be too narrow: "
        "%(enough)s are needed"
    ),
)
NUMBER = re.compile(r"%\\\((\w+)\\\)s")
PATTERNS = {message: re.compile(NUMBER.sub(r"(?P<\1>[^ ]+)", re.escape(message))) for message in SAID}


def in_reader_language(text: str) -> str:
    """The same in the reader's language; as it is where the engine says something new.

    >>> in_reader_language("with 12 topics the interval may be too narrow: 30 are needed"), in_reader_language("it rains")
    ('with 12 topics the interval may be too narrow: 30 are needed', 'it rains')
    """
    for message, pattern in PATTERNS.items():
        if said := pattern.fullmatch(text):
            return gettext(message) % said.groupdict()
    return text
