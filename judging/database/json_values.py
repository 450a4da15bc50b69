"""JSON that a database can hold: whole characters, none of them null."""

import re
from typing import Any

# What may be such a character in JSON as it is sent; after another backslash it is none.
SUSPICIOUS = re.compile(r"\\u(?:d[89a-f]|0000)", re.IGNORECASE)


def why_not_kept(content: Any) -> str | None:
    """Why no database can hold the content, of whose texts and names one has half a character or a null one; None if it can.

    >>> why_not_kept({"a": [{"b\\0": 1}]}), why_not_kept({"a": ["b"]})
    ('Null characters are not allowed.', None)
    """
    waiting = [content]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            if why := why_no_text(value):
                return why
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value
    return None


def why_no_text(text: str) -> str | None:
    if "\0" in text:
        return "Null characters are not allowed."
    try:
        text.encode()
    except UnicodeEncodeError:
        return "Holds half of a surrogate pair, which is no character."
    return None
