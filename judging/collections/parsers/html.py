"""HTML of documents: its title and its text, where the file says no other."""

import re

from judging.collections.parsers.parsed_records import ParsedDocument, one_line
from judging.collections.parsers.sgml import Fields, plain_text

BEGINS = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
ENDS = re.compile(r"</html\s*>", re.IGNORECASE)


def html_document(docno: str, *, title: str, text: str, url: str, line: int, html: str) -> ParsedDocument:
    """The document with this HTML, of which title and text are made if it has none."""
    html = html.strip()
    if html and not (title and text):
        fields = Fields(html, {"title", "head", "body"})
        title, text = title or one_line(fields.first("title")), text or body_text(fields)
    return ParsedDocument(docno, title, text, url, line, html)


def body_text(fields: Fields) -> str:
    if contents := fields.contents("body"):
        return "\n".join(map(plain_text, contents))
    if opening := fields.unclosed.get("body"):
        return plain_text(fields.body[opening.end() :])
    return plain_text(fields.rest())


def html_in(markup: str) -> str:
    """The HTML page that stands in a record; empty if there is none.

    >>> html_in("<TEXT><html><p>Owls</html></TEXT>"), html_in("<TEXT>Owls</TEXT>")
    ('<html><p>Owls</html>', '')
    """
    if not (begins := BEGINS.search(markup)):
        return ""
    ends = ENDS.search(markup, begins.end())
    return markup[begins.start() : ends.end() if ends else len(markup)]
