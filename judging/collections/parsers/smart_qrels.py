"""The relevance files of SMART collections: cranqrel with Cleverdon's codes, CISI.REL with pairs and zeros."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ireval.io.files import ProblemList
from judging.collections.parsers.limits import quoted_id
from judging.collections.parsers.parsed import ParsedJudgement
from judging.collections.parsers.text_files import Lines


@dataclass(frozen=True)
class Scale:
    """What the codes of a relevance file mean as grades, more being better."""

    label: str
    grades: Mapping[int, int]


# Cleverdon's codes: 1 a complete answer, 2 of a high degree of relevance, 3 useful as background, 4 of minimum interest,
# 5 of no interest. On 0 to 3 two codes share a grade: 3 and 4 become 1. With 0 for 4, what Cranfield's assessors and every
# evaluation counted as relevant would no longer be so. The code -1, once for each question and last, is the paper
# that the question was taken from. Nobody graded it: it stays -1, which evaluators count as judged and not relevant.
# That 1 is best shows in the texts, too: BM25 has documents of the codes 1 to 4 at rank 12, 28, 39 and 67 (medians).
SCALES = {
    "cranfield": Scale(
        "Cranfield's codes on 0 to 3: 1 → 3, 2 → 2, 3 and 4 → 1, 5 → 0; -1 stays", {1: 3, 2: 2, 3: 1, 4: 1, 5: 0, -1: -1}
    ),
    "cranfield-0-4": Scale("Cranfield's codes on 0 to 4: 1 → 4 … 5 → 0; -1 stays", {1: 4, 2: 3, 3: 2, 4: 1, 5: 0, -1: -1}),
    "as written": Scale("As written: more is better", {}),
}
ZERO = re.compile(r"0+(\.0*)?$")
CODE = re.compile(r"[+-]?\d{1,9}$")


def read_qrels(lines: Lines, problems: ProblemList, *, scale: str = "cranfield") -> Iterator[ParsedJudgement]:
    """One judgement a line, in one of three layouts, the same for the whole file:

    - topic, document, code: the code becomes a grade by SCALES[scale];
    - topic, document, two zeros (CISI): every pair that is listed is relevant, grade 1;
    - topic, document: likewise.

    Topics and documents are numbers, so that leading zeros are dropped. A pair that comes twice is a problem.
    """
    grades = SCALES[scale].grades
    first_lines: dict[tuple[str, str], int] = {}
    width = 0
    for line, text in lines:
        cells = text.split()
        if not cells:
            continue
        width = width or len(cells)
        try:
            grade = grade_of(cells, width, grades)
        except ValueError as error:
            problems.add(line, str(error))
        else:
            pair = number(cells[0]), number(cells[1])
            if first_lines.setdefault(pair, line) == line:
                yield ParsedJudgement(*pair, grade, line)
            else:
                problems.add(line, duplicate(pair, first_lines[pair]))
        if problems.full:
            return


def grade_of(cells: list[str], width: int, grades: Mapping[int, int]) -> int:
    if width not in (2, 3, 4):
        raise ValueError(f"expected a topic, a document and a code, or a topic, a document and two zeros, found {width} columns")
    if len(cells) != width:
        raise ValueError(f"expected {width} columns, found {len(cells)}")
    if width == 3:
        return grade_of_code(cells[2], grades)
    for cell in cells[2:]:
        if not ZERO.match(cell):
            raise ValueError(f"expected 0 in columns 3 and 4 (a relevance file like CISI's), found {quoted_id(cell)}")
    return 1


def grade_of_code(cell: str, grades: Mapping[int, int]) -> int:
    code = int(cell) if CODE.match(cell) else None
    if code is not None and (code in grades or not grades):
        return grades.get(code, code)
    wanted = (
        " or ".join(filter(None, [", ".join(map(str, sorted(grades)[:-1])), str(max(grades))])) if grades else "a whole number"
    )
    raise ValueError(f"the code is {quoted_id(cell)}; expected {wanted}")


def duplicate(pair: tuple[str, str], first_line: int) -> str:
    return f"topic {quoted_id(pair[0])} judges document {quoted_id(pair[1])} twice; it was first on line {first_line}"


def number(cell: str) -> str:
    """A number without the zeros or blanks that pad it; any other id as it is.

    >>> number("007"), number("0"), number("d07")
    ('7', '0', 'd07')
    """
    return cell.lstrip("0") or "0" if cell.isdecimal() else cell
