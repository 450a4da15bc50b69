"""Pages that are rendered once, with holes for what differs from one request to the next.

For pages so often asked for that rendering them would cost more than all else that is done for them.
"""

import re
import secrets
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

SECRET = secrets.token_hex(16)  # nobody can write a hole into a text that goes into the page
HOLE = re.compile(rf"hole-(\w+)-{SECRET}")
AS_IT_STANDS = re.compile(r"(<(pre|textarea)\b.*?</\2>)", re.DOTALL)


def hole(name: str) -> SafeString:
    """Stands in a template's context for a text that is not known yet."""
    return mark_safe(f"hole-{name}-{SECRET}")  # noqa: S308  a constant


def without_indentation(html: str) -> str:
    """A page whose lines begin at the margin, and none is blank: a tenth of a judge page was indentation.

    >>> without_indentation("<p>\\n  One\\n\\n  two</p>\\n  <pre>  as\\n  it</pre>")
    '<p>\\nOne\\ntwo</p>\\n<pre>  as\\n  it</pre>'
    """
    parts = AS_IT_STANDS.split(html)  # text, then an element as it stands and its name
    return "".join(part if at % 3 else re.sub(r"\s*\n\s*", "\n", part) for at, part in enumerate(parts) if at % 3 < 2)


class Frozen:
    """A rendered template: pieces of text, and between them the names of what belongs there."""

    def __init__(self, template: str, context: dict):
        pieces = HOLE.split(without_indentation(render_to_string(template, context)))
        self.texts, self.holes = pieces[::2], pieces[1::2]

    def fill(self, **values: Any) -> SafeString:
        """The whole page. Values are escaped, unless they are safe already; a hole without a value is a KeyError."""
        escaped = {name: conditional_escape(value) for name, value in values.items()}
        filled = [text + escaped[name] for text, name in zip(self.texts, self.holes, strict=False)]
        return mark_safe("".join(filled) + self.texts[-1])  # noqa: S308  template text and escaped values
