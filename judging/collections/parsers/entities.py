"""Character references such as &amp; and &#233; in markup, whoever wrote them."""

import html
import re

# Python makes no number of more than 4,300 digits. Past 7 there is no character, which the HTML standard writes as U+FFFD.
NEEDLESS_ZEROS = re.compile(r"&#0+(?=[0-9])")
BEYOND = re.compile(r"&#[0-9]{8,};?")


def resolved(markup: str) -> str:
    """The text with every character reference resolved as browsers do.

    >>> resolved("fish &amp; chips, caf&#233;"), resolved(f"&#{'0' * 5000}65;&#{'9' * 5000};")
    ('fish & chips, café', 'A\\ufffd')
    """
    if "&" not in markup:
        return markup
    return html.unescape(BEYOND.sub("\ufffd", NEEDLESS_ZEROS.sub("&#", markup)))
