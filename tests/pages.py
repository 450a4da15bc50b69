"""Pages as a browser shows them: without white space that stands where no text goes on, however templates break their lines."""

import re

# Elements that begin and end lines, or are not shown; white space beside their tags is not shown.
LINES = (
    "article|aside|body|br|caption|circle|datalist|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|"
    "header|html|legend|li|link|main|meta|nav|noscript|ol|optgroup|option|p|path|pre|rect|script|section|select|style|summary|"
    "table|tbody|td|template|textarea|tfoot|th|thead|title|tr|ul"
)
EDGE = rf"</?(?:{LINES})\b[^>]*>"
AFTER = re.compile(rf"((?:{EDGE}|<(?:a|button|label)\b[^>]*>)(?:<[^/>][^>]*>)*) ")
BEFORE = re.compile(rf" ((?:</[^>]*>)*(?:{EDGE}|</(?:a|button|label)>))")
IN_TAG = re.compile(r"(<[^<>]*?) (?=>)")
KEPT = re.compile(r"""(<(?:pre|script|textarea)\b.*?</(?:pre|script|textarea)>|<div class="text[ "].*?</div>)""", re.DOTALL)


def as_shown(html: str) -> str:
    """
    >>> as_shown("<td>\\n  <b>1</b>\\n  of <i>2</i>\\n</td>\\n<td><a>\\n  Go\\n</a>.</td>")
    '<td><b>1</b> of <i>2</i></td><td><a>Go</a>.</td>'
    """
    parts = KEPT.split(html)
    parts[::2] = [without_what_is_not_shown(re.sub(r"\s+", " ", part)) for part in parts[::2]]
    return "".join(parts)


def without_what_is_not_shown(html: str) -> str:
    while (shorter := IN_TAG.sub(r"\1", BEFORE.sub(r"\1", AFTER.sub(r"\1", html)))) != html:
        html = shorter
    return html
