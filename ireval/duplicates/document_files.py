"""Files of documents for the search of near-duplicates: JSON Lines as BEIR's corpus.jsonl, or a docno, a tab and the text."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from ireval.io.arguments import require_type
from ireval.io.cells import TEXTS, complaint_about_id, require_cells, require_columns, shown
from ireval.io.files import BadFile, BadInput, lines, local_file, name_of
from ireval.io.frames import Frame, as_table, names_in
from ireval.io.tables import DOCNO, Aliases, find_columns, with_our_names

# What people call a document's id in JSON; BEIR writes _id.
IDS: Aliases = {"docno": (*DOCNO, "id")}
COLUMNS = ("docno", "text")
Documents = str | os.PathLike[str] | Frame | Mapping[str, str] | Iterable[tuple[str, str]]
EXPECTED = 'expected JSON Lines, such as {"_id": "d1", "title": "…", "text": "…"}, or a docno, a tab and the text'


def read_documents(path: str | os.PathLike[str]) -> Iterator[tuple[str, str]]:
    """Yield docno and text of each document in a file, the title before the text.

    Each line is an object of JSON (`_id` or another usual name of a docno, `title` and `text`), or a docno, a tab and the text.
    Files may be compressed; "-" is standard input. Raises BadFile for the first line that is neither, and for a file without
    documents.
    """
    name, number = name_of(path), 0
    with local_file(path) as local:
        for number, line in lines(local, name=name):
            if line.strip():
                yield from_json(line, name, number) if line.startswith("{") else from_columns(line, name, number)
    if not number:
        raise BadFile.because(name, f"is empty; {EXPECTED}")


def as_documents(source: Documents) -> Iterable[tuple[str, str]]:
    """Docno and text of each document, from a path, a frame of polars or pandas, {docno: text}, or pairs as they are.

    A column docno may have another usual name, such as doc_id. An empty text is a blank one. Raises BadInput for a frame without
    columns docno and text, an empty docno, and what is no text.

    >>> list(as_documents({"a": "to be"})), list(as_documents(pl.DataFrame({"docno": [1], "text": ["or not"]})))
    ([('a', 'to be')], [('1', 'or not')])
    """
    if isinstance(source, str | os.PathLike):
        return read_documents(source)
    if isinstance(source, Mapping):
        return checked_pairs(source.items())
    if names_in(source) is None:
        return checked_pairs(source)
    table = with_our_names(as_table(source, BadInput), IDS)  # type: ignore[arg-type]
    require_columns(table, COLUMNS, BadInput)
    require_cells(table, ("docno",), BadInput)
    text = table["text"].fill_nan(None) if table["text"].dtype.is_float() else table["text"]
    if text.dtype not in TEXTS and (held := text.is_not_null()).any():
        row = int(held.arg_max() or 0)
        raise BadInput(f"row {row + 1:,}: column text is {shown(text[row])}; expected text: convert the column")
    table = table.with_columns(text)
    return table.select(pl.col(COLUMNS).cast(pl.String).fill_null("")).iter_rows()


def checked_pairs(source: object) -> Iterator[tuple[str, str]]:
    """Yield the pairs one by one; BadInput, with its number, for what is no pair of a docno and a text."""
    require_type("documents", source, Iterable, "a path, a frame with docno and text, {docno: text}, or pairs of the two")
    for number, pair in enumerate(source, start=1):  # type: ignore[arg-type, var-annotated]
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise BadInput(f"document {number:,} is {shown(pair)}; expected a pair of a docno and a text")
        docno, text = pair
        if complaint := complaint_about_id(docno):
            raise BadInput(f"document {number:,}: the docno {complaint}")
        require_type(f"document {number:,}: the text of {docno}", text, str, "text: convert it")
        yield docno, text


def from_columns(line: str, name: str, number: int) -> tuple[str, str]:
    docno, tab, text = line.partition("\t")
    if not tab or not docno.strip():
        raise BadFile.because(name, EXPECTED, number)
    return docno.strip(), text


def from_json(line: str, name: str, number: int) -> tuple[str, str]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise BadFile.because(name, f"is no JSON ({error}); {EXPECTED}", number) from error
    column = find_columns(list(record), IDS).get("docno")
    if column is None or not isinstance(record[column], str | int) or record[column] == "":
        raise BadFile.because(name, f"has no docno; {EXPECTED}", number)
    texts = [record.get(field) or "" for field in ("title", "text")]
    if not all(isinstance(text, str) for text in texts):
        raise BadFile.because(name, f"has a title or text that is no text; {EXPECTED}", number)
    return str(record[column]), " ".join(filter(None, texts))
