"""Labels from files and frames: polars reads a file; if it is wrong, its problems are found row by row."""

import csv
import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Ints
from ireval.io.arguments import as_numbers
from ireval.io.cells import require_cells, row_place, shown
from ireval.io.columns import BOM, COLUMN, TO_BLANKS, count, single_spaced
from ireval.io.csv_rows import unguarded
from ireval.io.delimited_tables import cell_of
from ireval.io.files import MAX_BYTES, BadFile, IgnoredInput, ProblemList, lines, local_file, name_of, open_file
from ireval.io.first_lines import FirstLines
from ireval.io.frames import Source, TableSource, as_table, column_of, keyed_table, names_in, with_plain_cells, with_text_keys
from ireval.io.qrels import csv_lines
from ireval.io.tables import (
    BYTES_A_ROW,
    DOCNO,
    GRADE,
    TOPIC,
    Aliases,
    find_columns,
    is_parquet,
    missing_columns,
    warn_of_lookalikes,
    with_our_names,
)
from ireval.labels.labels import UNKNOWN, BadLabels, Labels, gold_in_table, labels_in_table, texts

ITEM = ("item", "item_id", "task", "task_id", "question", "question_id", "unit", "unit_id", "object", "movie_id")
WORKER = ("worker", "worker_id", "workerid", "annotator", "rater", "coder", "judge", "assessor", "performer", "user", "user_id")
LABEL = (*GRADE, "truth", "gold", "answer", "response", "vote", "value", "rating")
LABELS: Aliases = {"item": (*ITEM, *DOCNO), "worker": WORKER, "label": LABEL}
GOLD: Aliases = {"item": (*ITEM, *DOCNO), "label": LABEL}
BLANK = " "
# Codes of items, or what gold_of makes them of.
GoldSource = Ints | TableSource | Mapping[Any, Any]
# What becomes of a row with the worker and item of another: it is an error, or the first or the last of them counts.
Repeats = Literal["error", "first", "last"]


class LabelShape(NamedTuple):
    """How a text file is laid out; `places` are those of the wanted columns, with the topic's first."""

    separator: str
    width: int
    places: dict[str, int]
    header: bool


def read_labels(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    values: Sequence[str] | None = None,
    repeats: Repeats = "error",
    max_bytes: int = MAX_BYTES,
) -> Labels:
    """Read labels from a CSV, text or Parquet file, compressed or not; "-" is standard input.

    CSV has commas, semicolons or tabs, text has blanks between columns. Columns are found by their names: item, worker and label,
    or other usual names. A file of exactly three columns needs no header. If a table has topics and documents but no items, an
    item's name is both, and the labels know its topic. Under a header, a row with an empty label is an item that the worker could
    not judge; it is left out. `values` are the scale, as for labels_of. Where a worker labels an item again, `repeats` says
    whether the first or the last label counts. IgnoredInput warns of how many rows that leaves out. By default it is an error.

    Raises BadFile, with up to 100 problems: another number of columns, an empty cell, and files without labels. Also for a worker
    who labels an item twice, with both lines. Raises BadLabels for a label that is not on the scale.
    """
    name = name or name_of(path)
    frame = read_table(path, LABELS, name=name, max_bytes=max_bytes, repeats=repeats)
    return labels_in_table(frame, values, lambda row: name)  # a row's number counts no row that was left out


def read_gold(path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES) -> pl.DataFrame:
    """Read true labels, with item and label, from the same kinds of file; a file of exactly two columns needs no header.

    Raises BadFile as read_labels does, and for a repeated item.
    """
    return read_table(path, GOLD, name=name or name_of(path), max_bytes=max_bytes).select(list(GOLD))


def labels_of(source: Source, *, values: Sequence[Any] | None = None) -> Labels:
    """Labels from a path, a frame of polars or pandas with item, worker and label, or {item: {worker: label}}, in their order.

    A path is read by read_labels, which raises BadFile. Columns may have other usual names, as in files; there topics are known
    only where items are called documents. In a frame, a column topic says to which topic (or other group) an item belongs.
    `values` are the scale from the lowest to the highest. If not given, it has the values used: numbers by size, texts by
    alphabet, which is no order. BadLabels for no labels, an empty cell, an item of two topics, and a worker who labels an item
    twice. Also for a label that is not on the scale, and a scale that names a value twice.

    >>> labels = labels_of(pl.DataFrame({"item": ["d1", "d1", "d2"], "worker": ["ann", "bob", "ann"], "label": [0, 2, 2]}))
    >>> labels.counts.tolist(), labels.values
    ([[1, 1], [0, 1]], ('0', '2'))
    """
    if isinstance(source, str | os.PathLike):
        return read_labels(source, values=values)
    if isinstance(source, Mapping):
        table = keyed_table(source, list(LABELS), "labels")
        return labels_in_table(with_plain_cells(with_text_keys(table.frame, ["item", "worker"])), values, table.place)
    return labels_in_table(with_items(as_table(source, BadLabels, or_path=True), LABELS, "labels"), values)


def with_items(table: pl.DataFrame, wanted: Aliases, name: str) -> pl.DataFrame:
    """A frame with our names of columns; an item that is called a document has the name of its topic before its own.

    Raises BadLabels for a cell that is empty or neither text nor a number, by the name that the frame's owner gave its column.
    """
    if find_columns(table.columns, {"item": ITEM}) or len(find_columns(table.columns, wanted)) < len(wanted):
        return with_our_names(table, wanted)
    columns = with_topic(table.columns, wanted, name)
    require_cells(table, list(columns.values()), BadLabels)
    return named(pl.DataFrame([texts(table[column]).alias(field) for field, column in columns.items()]), wanted)


def as_labels(source: Labels | Source, values: Sequence[Any] | None = None) -> Labels:
    """Labels as they are, or made by labels_of of what it takes."""
    return source if isinstance(source, Labels) else labels_of(source, values=values)


def gold_of(source: TableSource | Mapping[Any, Any], labels: Labels | Source) -> Ints:
    """The codes of the items' true labels, (I,), UNKNOWN for items without; from a path, a frame or {item: label}.

    A path is read by read_gold, which raises BadFile; a frame has item and label. Items that nobody labelled are left out.
    BadLabels for an item with two gold labels, and for a value that is not on the scale.

    >>> labels = labels_of(pl.DataFrame({"item": ["d1", "d2"], "worker": ["ann", "ann"], "label": [0, 2]}))
    >>> gold_of({"d2": 2, "d9": 0}, labels).tolist()
    [-1, 1]
    """
    if isinstance(source, str | os.PathLike):
        file = name_of(source)
        return gold_in_table(read_gold(source), as_labels(labels), lambda row: file)
    if isinstance(source, Mapping):
        keys = list(source)
        frame = pl.DataFrame([column_of(keys).alias("item"), column_of(list(source.values())).alias("label")])
        plain = with_plain_cells(with_text_keys(frame, ["item"]))
        return gold_in_table(plain, as_labels(labels), lambda row: f"{row_place(row)}, [{keys[row]!r}]")
    return gold_in_table(with_items(as_table(source, BadLabels, or_path=True), GOLD, "gold"), as_labels(labels))


def as_gold(gold: GoldSource | None, labels: Labels) -> Ints | None:
    """The codes of the items' true labels, checked, or made by gold_of of what it takes; None for no gold."""
    if gold is None:
        return None
    if isinstance(gold, str | os.PathLike | Mapping) or names_in(gold) is not None:
        return gold_of(gold, labels)  # type: ignore[arg-type]
    codes, most = as_numbers("gold", gold, BadLabels), len(labels.values)
    if codes.shape != (len(labels.items),) or not ((codes % 1 == 0) & (codes >= UNKNOWN) & (codes < most)).all():
        raise BadLabels(
            f"gold is {shown(gold)}; expected a code per item, {len(labels.items):,}, which gold_of makes of a path or a frame"
        )
    return codes.astype(np.int64)


def read_table(
    path: str | os.PathLike[str], wanted: Aliases, *, name: str, max_bytes: int, repeats: Repeats = "error"
) -> pl.DataFrame:
    """The wanted columns as text, without empty cells; rows differ in more than their labels."""
    with local_file(path, max_bytes=max_bytes) as local:
        if is_parquet(local):
            frame = from_parquet(local, wanted, name, max_bytes)
        else:
            frame = from_text(local, wanted, name, max_bytes, repeats)
    if frame.is_empty():
        raise BadFile.because(name, "holds no labels")
    return without_repeats(frame, list(wanted)[:-1], repeats, name)


def without_repeats(frame: pl.DataFrame, keys: list[str], repeats: Repeats, name: str) -> pl.DataFrame:
    if not frame.select(keys).is_duplicated().any():
        return frame
    if repeats == "error":
        raise BadFile.because(name, f"has a row with the same {' and '.join(keys)} as another")
    kept = frame.unique(keys, keep=repeats, maintain_order=True)
    again = len(frame) - len(kept)
    left_out = f"{again:,} {'row left out that repeats' if again == 1 else 'rows left out that repeat'} {' and '.join(keys)}"
    warnings.warn(f"{name}: {left_out}; the {repeats} of each counts", IgnoredInput, stacklevel=2)
    return kept


def from_parquet(path: Path, wanted: Aliases, name: str, max_bytes: int) -> pl.DataFrame:
    try:
        scan = pl.scan_parquet(path, glob=False)
        present = scan.collect_schema().names()
        if complaint := missing_columns(present, wanted):
            raise BadFile.because(name, complaint)
        if scan.select(pl.len()).collect().item() > max_bytes // BYTES_A_ROW:
            raise BadFile.because(name, f"holds more rows than {max_bytes:,} bytes, the largest file accepted, can hold")
        columns = with_topic(present, wanted, name)
        frame = scan.select(pl.col(column).alias(field) for field, column in columns.items()).collect()
    except pl.exceptions.PolarsError as error:
        raise BadFile.because(name, f"the Parquet file is damaged ({error})") from error
    frame = frame.filter(pl.col("label").is_not_null())
    for column in frame.columns:
        if frame.schema[column].is_nested():
            raise BadFile.because(name, f"column {columns[column]} is of type {frame.schema[column]}; expected text or numbers")
        if nulls := frame[column].null_count():
            raise BadFile.because(name, f"column {columns[column]} is empty in {nulls:,} of {len(frame):,} rows")
    return named(frame.select(texts(column) for column in frame.get_columns()), wanted)


def with_topic(present: list[str], wanted: Aliases, name: str) -> dict[str, str]:
    """The file's column of each field; with the topic only if the items are called documents."""
    columns = find_columns(present, wanted)
    if find_columns(present, {"item": ITEM}):
        return columns
    columns = find_columns(present, {"topic": TOPIC}) | columns
    warn_of_lookalikes(present, columns, ["topic"], name)
    return columns


def named(frame: pl.DataFrame, wanted: Aliases) -> pl.DataFrame:
    """The wanted columns, and the topic where the file has one; an item's name then begins with it."""
    if "topic" not in frame.columns:
        return frame.select(list(wanted))
    return frame.select("topic", *wanted).with_columns(item=pl.format("{} {}", "topic", "item"))


def from_text(path: Path, wanted: Aliases, name: str, max_bytes: int, repeats: Repeats) -> pl.DataFrame:
    shape = shape_of(first_line(path, wanted, name, max_bytes), wanted, name)
    frame = parse(path, shape, name, max_bytes, repeats)
    again = repeats == "error" and frame is not None and frame.select(*list(shape.places)[:-1]).is_duplicated().any()
    if frame is None or (empty := has_empty(frame)) or again:
        explain(path, shape, name, max_bytes, repeats)
        if frame is None:
            raise BadFile.because(name, f"cannot be read; expected {expected(wanted)}")
        frame = frame.filter(pl.col("label") != "") if empty else frame
    return named(frame, wanted)


def first_line(path: Path, wanted: Aliases, name: str, max_bytes: int) -> str:
    """The first line that is neither blank nor a comment."""
    for _, line in lines(path, name=name, max_bytes=max_bytes):
        if line.strip() and not line.startswith("#"):
            return line
    raise BadFile.because(name, f"is empty; expected {expected(wanted)}")


def expected(wanted: Aliases) -> str:
    return f"{len(wanted)} columns ({' '.join(wanted)}), or a header that names them"


def shape_of(first: str, wanted: Aliases, name: str) -> LabelShape:
    """How a file is laid out, by its first line and the first separator that fits it."""
    choices = {mark: next(csv.reader([first], delimiter=mark)) for mark in "\t,;" if mark in first}
    choices[BLANK] = COLUMN.findall(first)
    for mark, cells in choices.items():
        present = [cell.strip() for cell in cells]
        if len(find_columns(present, wanted)) == len(wanted):
            columns = with_topic(present, wanted, name)
            return LabelShape(
                mark, len(cells), {field: present.index(column.strip()) for field, column in columns.items()}, header=True
            )
    for mark, cells in choices.items():
        if len(cells) == len(wanted) and not find_columns(cells, wanted):
            return LabelShape(mark, len(cells), {column: place for place, column in enumerate(wanted)}, header=False)
    present = max(choices.values(), key=len)
    if find_columns(present, wanted) and (complaint := missing_columns(present, wanted)):
        raise BadFile.because(name, complaint, 1)
    raise BadFile.because(name, f"expected {expected(wanted)}; found {len(present)}", 1)


def parse(path: Path, shape: LabelShape, name: str, max_bytes: int, repeats: Repeats) -> pl.DataFrame | None:
    """The wanted columns, with "" for empty cells; None if polars cannot read a line."""
    with open_file(path, name=name, max_bytes=max_bytes) as stream:
        text = stream.read().removeprefix(BOM).replace(b"\r\n", b"\n")
    if b"\0" in text:
        raise BadFile.because(name, "this is a binary file; expected text")
    if shape.separator == BLANK:
        text = single_spaced(text.translate(TO_BLANKS) + b"\n")
    quote = None if shape.separator == BLANK else '"'
    columns = {f"column {place}": pl.String for place in range(shape.width)}
    try:
        frame = pl.read_csv(text, separator=shape.separator, has_header=False, schema=columns, quote_char=quote)
    except pl.exceptions.PolarsError:
        return None
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    # polars drops surplus cells, and a quoted cell may contain separators: only reading row by row tells.
    if (quote and b'"' in text) or count(text, shape.separator.encode()) != len(frame) * (shape.width - 1):
        explain(path, shape, name, max_bytes, repeats)
    return frame.slice(int(shape.header)).select(cell_of(place).alias(column) for column, place in shape.places.items())


def has_empty(frame: pl.DataFrame) -> bool:
    return any(bool((column == "").any()) for column in frame.get_columns())


def explain(path: Path, shape: LabelShape, name: str, max_bytes: int, repeats: Repeats) -> None:
    """Read a file row by row and raise BadFile with everything that is wrong with it; return if nothing is.

    Of rows that repeat a worker and item, the first is a problem and the others are counted.
    """
    problems, first_lines, again = ProblemList(name), FirstLines(), list[tuple[int, str]]()
    *keys, _ = shape.places
    rows = rows_of(path, shape, name, max_bytes)
    if shape.header:
        next(rows)
    for number, cells in rows:
        if len(cells) != shape.width:
            problems.add(number, f"expected {shape.width} columns, found {len(cells)}")
            continue
        row = {column: unguarded(cells[place].strip()) for column, place in shape.places.items()}
        lacking = [column for column, cell in row.items() if not cell and not (column == "label" and shape.header)]
        if lacking:
            problems.add(number, f"has no {lacking[0]}")
        elif row["label"] and (first := first_lines.first_line(tuple(row[key] for key in keys), number)):
            again.append((number, repeated(row, first)))
        if problems.full:
            break
    if again and (repeats == "error" or "worker" not in keys):
        number, message = again[0]
        remedy = "keep one of them" + (", or say repeats first or last" if "worker" in keys else "")
        more = f" (and so do {len(again) - 1:,} more rows)" if len(again) > 1 else ""
        problems.add(number, f"{message}{more}: {remedy}")
    problems.raise_if_any()


def repeated(row: dict[str, str], first: int) -> str:
    item = " ".join(row[key] for key in ("topic", "item") if key in row)
    who = f"worker {row['worker']} labels item {item} again" if "worker" in row else f"item {item} has a gold label again"
    return f"{who}; the first time is on line {first}"


def rows_of(path: Path, shape: LabelShape, name: str, max_bytes: int) -> Iterator[tuple[int, list[str]]]:
    if shape.separator != BLANK:
        yield from csv_lines(path, name, max_bytes, shape.separator)
        return
    for number, line in lines(path, name=name, max_bytes=max_bytes):
        cells = COLUMN.findall(line)
        if cells and not cells[0].startswith("#"):
            yield number, cells
