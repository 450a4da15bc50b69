"""TREC documents: <DOC> records with a <DOCNO>, as on TREC's disks, in its Web collections and in Gigaword."""

import re
from collections.abc import Iterator

from ireval.io.files import ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers.html import html_in
from judging.collections.parsers.parsed_records import ParsedDocument, one_line
from judging.collections.parsers.sgml import Element, Elements, Fields, not_closed, plain_text
from judging.collections.parsers.text_files import Lines

TITLES = ("title", "headline", "hl", "doctitle", "ti", "head")
TEXTS = ("text", "body", "abstract", "content")
NOT_TEXT = ("docno", "url", "dochdr", "docid", "docoldno", "fileid", "date")
FIELDS = {*TITLES, *TEXTS, *NOT_TEXT}
ID_ATTRIBUTE = re.compile(r"""\bid\s*=\s*["']?([^"'\s]+)""", re.IGNORECASE)


def read_documents(lines: Lines, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedDocument]:
    """The documents between <DOC> and </DOC>.

    Title: <TITLE>, <HEADLINE> or another of TITLES. Text: every <TEXT>, or else <BODY>, <ABSTRACT>, <CONTENT>, or else
    whatever is left. Tags inside are dropped and entities resolved. Url: <URL>, or the first word of a Web page's <DOCHDR>.
    A page's tags are kept beside its text.
    """
    for element in Elements("DOC", problems).of(lines):
        fields = Fields(element.body, FIELDS)
        docno = fields.first("docno") or id_attribute(element)
        if fields.unclosed and not is_web_page(fields):
            tag = min(fields.unclosed.values(), key=lambda tag: tag.start())
            problems.add(line_of(tag, element), not_closed(tag[0], tag[2], "</DOC>"))
        elif docno:
            yield ParsedDocument(docno, one_line(fields.first(*TITLES)), text(fields), url(fields), element.line, html(fields))
        else:
            problems.add(element.line, Phrase("missing document id; expected <DOCNO> … </DOCNO>"))


def is_web_page(fields: Fields) -> bool:
    """Crawled pages close their tags as they please; only TREC's own must be closed."""
    return "dochdr" in fields.spans


def line_of(tag: re.Match[str], element: Element) -> int:
    return element.line + element.body.count("\n", 0, tag.start())


def id_attribute(element: Element) -> str:
    match = ID_ATTRIBUTE.search(element.attributes)
    return match[1] if match else ""


def text(fields: Fields) -> str:
    for name in TEXTS:
        if contents := fields.contents(name):
            return "\n\n".join(filter(None, map(plain_text, contents)))
    return plain_text(fields.rest())


def html(fields: Fields) -> str:
    """The page behind a <DOCHDR>, or between <html> and </html>."""
    headers = fields.spans.get("dochdr")
    page = fields.body[headers[-1].end :] if headers else html_in(fields.body)
    return page.strip() if "<" in page else ""


def url(fields: Fields) -> str:
    return fields.first("url") or next(iter(fields.first("dochdr").split()), "")
