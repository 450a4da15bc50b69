"""The relevance files of SMART collections: cranqrel with Cleverdon's codes, CISI.REL with pairs and zeros."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ireval.io.columns import wrong_number
from ireval.io.files import ProblemList
from ireval.translatable import Phrase
from judging.collections.parsers.acceptance import quoted_id
from judging.collections.parsers.parsed_records import ParsedJudgement
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
        except UnusableLine as error:
            problems.add(line, error.why)
        else:
            pair = number(cells[0]), number(cells[1])
            if first_lines.setdefault(pair, line) == line:
                yield ParsedJudgement(*pair, grade, line)
            else:
                problems.add(line, duplicate(pair, first_lines[pair]))
        if problems.full:
            return


class UnusableLine(Exception):
    """A line that is no judgement, and why."""

    def __init__(self, why: Phrase):
        super().__init__(why)
        self.why = why


def grade_of(cells: list[str], width: int, grades: Mapping[int, int]) -> int:
    if width not in (2, 3, 4):
        another = Phrase(
            "expected a topic, a document and a code, or a topic, a document and two zeros, found %(n)s columns", n=width
        )
        raise UnusableLine(another)
    if len(cells) != width:
        raise UnusableLine(wrong_number(Phrase("%(n)s columns", n=width), len(cells)))
    if width == 3:
        return grade_of_code(cells[2], grades)
    for cell in cells[2:]:
        if not ZERO.match(cell):
            no_zero = Phrase(
                "expected 0 in columns 3 and 4 (a relevance file like CISI's), found %(found)s", found=quoted_id(cell)
            )
            raise UnusableLine(no_zero)
    return 1


def grade_of_code(cell: str, grades: Mapping[int, int]) -> int:
    code = int(cell) if CODE.match(cell) else None
    if code is not None and (code in grades or not grades):
        return grades.get(code, code)
    *others, last = map(str, sorted(grades)) if grades else [""]
    wanted = Phrase("%(names)s or %(last)s", names=", ".join(others), last=last) if grades else Phrase("a whole number")
    raise UnusableLine(Phrase("the code is %(code)s; expected %(expected)s", code=quoted_id(cell), expected=wanted))


def duplicate(pair: tuple[str, str], first_line: int) -> Phrase:
    return Phrase(
        "topic %(topic)s judges document %(docno)s twice; it was first on line %(line)s",
        topic=quoted_id(pair[0]),
        docno=quoted_id(pair[1]),
        line=first_line,
    )


def number(cell: str) -> str:
    """A number without the zeros or blanks that pad it; any other id as it is.

    >>> number("007"), number("0"), number("d07")
    ('7', '0', 'd07')
    """
    return cell.lstrip("0") or "0" if cell.isdecimal() else cell
