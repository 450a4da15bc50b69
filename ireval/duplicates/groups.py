"""Groups of near-duplicates as tables and files: each document, a tab, and the name of its group."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from ireval.io.cells import checked, shown
from ireval.io.files import BadFile, BadInput, ProblemList, lines, local_file, name_of
from ireval.io.frames import Frame, column_of, names_in, table_of
from ireval.io.tables import DOCNO, Aliases

GROUPS_SCHEMA = {"docno": pl.String, "group": pl.String}
GROUPS: Aliases = {"docno": DOCNO, "group": ("group", "group_id")}
HEADER = "\t".join(GROUPS_SCHEMA)
GroupSource = str | os.PathLike[str] | Frame | Mapping[str, str]


def as_groups(source: GroupSource) -> pl.DataFrame:
    """Groups of near-duplicates from a path, a frame of polars or pandas, or {docno: group}: docno and group, both text.

    A column docno may have another usual name, such as doc_id. Groups of one document are left out. Raises BadFile, which names
    row, column and remedy, for a document that is in two groups, and for what is no such table.

    >>> as_groups({"a": "1", "b": "1", "c": "2"}).rows()
    [('a', '1'), ('b', '1')]
    """
    return read_groups(source) if isinstance(source, str | os.PathLike) else of_several(checked_groups(source))


def checked_groups(source: Frame | Mapping[str, str]) -> pl.DataFrame:
    """As as_groups, with groups of one document."""
    if isinstance(source, Mapping):
        source = pl.DataFrame({"docno": column_of([*source]), "group": column_of([*source.values()])})
    if names_in(source) is None:
        raise BadFile.because("groups", f"is {shown(source)}; expected a path, a frame of polars or pandas, or {{docno: group}}")
    frame = checked(table_of(source, GROUPS, name="groups"))
    if not (once := frame["docno"].is_first_distinct()).all():
        row = once.arg_min() or 0
        first = int((frame["docno"] == frame["docno"][row]).arg_max() or 0)
        again = f"column docno has document {frame['docno'][row]} again; row {first + 1:,} has it: keep one of them"
        raise BadFile.because("groups", f"row {row + 1:,}: {again}")
    return frame.select(list(GROUPS_SCHEMA))


def read_groups(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Read a file of groups: on each line a docno, a tab and the name of its group, as `ireval duplicates` writes it.

    The header may be missing; files may be compressed; "-" is standard input. Raises BadFile, with up to 100 problems.
    """
    with local_file(path) as local:
        problems = ProblemList(name_of(path))
        rows = dict(group_rows(local, problems))
        problems.raise_if_any()
    if not rows:
        raise BadFile.because(problems.file, f"holds no groups; expected lines of a docno, a tab and a group ({HEADER!r})")
    return of_several(pl.DataFrame([*rows.items()], schema=GROUPS_SCHEMA, orient="row"))


def group_rows(path: Path, problems: ProblemList) -> Iterator[tuple[str, str]]:
    first: dict[str, int] = {}
    for number, line in lines(path, name=problems.file):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or (number == 1 and line.strip() == HEADER):
            continue
        if len(cells) != 2 or not all(cells):
            problems.add(number, "expected a docno, a tab and the name of its group")
        elif first.setdefault(cells[0], number) != number:
            problems.add(number, f"document {cells[0]} is there twice, first in line {first[cells[0]]:,}")
        else:
            yield cells[0], cells[1]


def write_groups(groups: GroupSource) -> str:
    """The text of a file of groups, with a header; groups are what as_groups takes. Those of one document are written, too.

    Raises BadFile as as_groups does, and BadInput for a docno or a group with a tab or a line end in it.

    >>> write_groups(as_groups({"a": "1", "b": "1"}))
    'docno\\tgroup\\na\\t1\\nb\\t1\\n'
    """
    table = read_groups(groups) if isinstance(groups, str | os.PathLike) else checked_groups(groups)
    for name in GROUPS_SCHEMA:
        if (bad := table[name].str.contains(r"[\t\n\r]")).any():
            row = bad.arg_max() or 0
            raise BadInput(f"row {row + 1:,}: column {name} is {table[name][row]!r}; expected no tabs or line ends: replace them")
    return "".join(f"{line}\n" for line in [HEADER, *map("\t".join, table.iter_rows())])


def of_several(groups: pl.DataFrame) -> pl.DataFrame:
    return groups.filter(pl.len().over("group") > 1)
