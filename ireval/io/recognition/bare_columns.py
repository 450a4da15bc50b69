"""Formats that have columns without names: TREC's, those of SMART's relevance files, and MS MARCO's tables."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

from ireval.io.columns import COLUMN
from ireval.io.qrels import complaint_about_grade
from ireval.io.recognition.kinds import A_SAMPLE, CLICKS, DOCUMENTS, MANY_WORDS, MOST, QRELS, RUN, TOPICS, Recognition, nothing
from ireval.io.runs import complaint_about_score
from ireval.translatable import Phrase

WHOLE = re.compile(r"-?\d+", re.ASCII)
ZERO = re.compile(r"0+(\.0*)?", re.ASCII)
# The second column of qrels: 0, Q0, or the round of judging.
ITERATION = re.compile(r"Q0|[+-]?\d+(\.\d+)?", re.ASCII | re.IGNORECASE)
THREE_NUMBERS = Phrase(
    "Three columns of numbers. If these are topic, document and grade, choose SMART’s qrels and what their numbers mean: nothing "
    "in the file says it."
)
PYCLICK = re.compile(r"[^:;]+ :[^:;]*;")
CRANFIELD_CODES = {"-1", "1", "2", "3", "4", "5"}

Row = list[str]


def of_clicks(lines: Sequence[str]) -> Recognition | None:
    """Click logs as Yandex and PyClick write them: SessionID TimePassed Q|C …, and query, tab, URLs : clicks;"""
    rows = [line.split("\t") for line in lines[:A_SAMPLE]]
    if share(rows, lambda row: len(row) > 3 and row[2] in ("Q", "C")) < MOST and share(rows, is_pyclick) < MOST:
        return None
    because = Phrase(
        "Queries and clicks, as Yandex’s and PyClick’s logs have them: a click log, which belongs to a site, not to a collection."
    )
    return Recognition(CLICKS, "auto", because, {"begins": lines[0]})


def is_pyclick(row: Row) -> bool:
    return len(row) > 1 and PYCLICK.match(row[1]) is not None


def of_blanks(lines: Sequence[str]) -> Recognition | None:
    """Columns between blanks or tabs."""
    rows = [COLUMN.findall(line) for line in lines if not line.startswith("#")][:A_SAMPLE]
    if not rows:
        return None
    if share(rows, is_result) >= MOST:
        topic, _, docno, _, score, *_ = next(filter(is_result, rows))
        sample = {"topic": topic, "document": docno, "score": score}
        return Recognition(RUN, "auto", Phrase("Six columns a line, the fifth a number: TREC’s run."), sample)
    width, count = Counter(map(len, rows)).most_common(1)[0]
    if count < MOST * len(rows):
        return None
    fitting = [row for row in rows if len(row) == width]
    if width == 4:
        return zeros(fitting) or qrels(fitting)
    return numbers(fitting) if width == 3 else None


def share(rows: Sequence[Row], fits: Callable[[Row], bool]) -> float:
    return sum(map(fits, rows)) / len(rows)


def is_result(row: Row) -> bool:
    return len(row) >= 6 and WHOLE.fullmatch(row[3]) is not None and complaint_about_score(row[4]) is None


def qrels(rows: Sequence[Row]) -> Recognition | None:
    if share(rows, lambda row: complaint_about_grade(row[3]) is None) < MOST:
        return None
    topic, subtopic, docno, grade = rows[0]
    sample = {"topic": topic, "document": docno, "grade": grade}
    repeated = max(Counter((row[0], row[2]) for row in rows).values()) > 1
    distinct = len({tuple(row[:3]) for row in rows}) == len(rows)
    if share(rows, lambda row: ITERATION.fullmatch(row[1]) is not None) < MOST:
        return None
    if repeated and distinct:
        sample = {"topic": topic, "subtopic": subtopic, "document": docno, "grade": grade}
        because = Phrase("Four columns a line, and documents more than once in a topic: TREC’s qrels by subtopic.")
        return Recognition(QRELS, "auto", because, sample)
    return Recognition(QRELS, "auto", Phrase("Four columns a line, the last a whole number: TREC’s qrels."), sample)


def zeros(rows: Sequence[Row]) -> Recognition | None:
    """CISI's relevance file: every pair that is listed is relevant."""
    pairs = all(WHOLE.fullmatch(row[0]) and WHOLE.fullmatch(row[1]) for row in rows)
    if not pairs or not all(ZERO.fullmatch(row[2]) and ZERO.fullmatch(row[3]) for row in rows):
        return None
    because = Phrase("Pairs of topic and document, then two zeros: a SMART relevance file like CISI’s. Each pair is relevant.")
    return Recognition(QRELS, "smart", because, {"topic": rows[0][0], "document": rows[0][1]}, {"scale": "as written"})


def numbers(rows: Sequence[Row]) -> Recognition | None:
    """Three columns of numbers may be anything. Cranfield's are known by their codes: each topic has one -1, its last."""
    if not all(WHOLE.fullmatch(cell) for row in rows for cell in row):
        return None
    topic, docno, code = rows[0]
    if is_cranfield(rows):
        because = Phrase(
            "Topic, document and a code from 1 to 4, or −1 once a topic: Cranfield’s relevance file. Its 1 is the best, so codes "
            "become grades the other way round; −1, the paper that a question came from, counts as not relevant."
        )
        return Recognition(QRELS, "smart", because, {"topic": topic, "document": docno, "code": code}, {"scale": "cranfield"})
    return nothing(THREE_NUMBERS, {"first": topic, "second": docno, "third": code})


def is_cranfield(rows: Sequence[Row]) -> bool:
    codes = {code for _, _, code in rows}
    last = {topic: code for topic, _, code in rows}
    last.pop(rows[-1][0])  # the sample may end within it
    return codes <= CRANFIELD_CODES and "-1" in codes and set(last.values()) == {"-1"}


def of_tabs(lines: Sequence[str]) -> Recognition | None:
    """MS MARCO's tables: an id and a text, or an id, an address, a title and a text."""
    rows = [line.split("\t") for line in lines[:A_SAMPLE]]
    width = len(rows[0])
    if width not in (2, 4) or share(rows, lambda row: len(row) == width) < MOST:
        return None
    words = sum(len(row[-1].split()) for row in rows) / len(rows)
    if words < 2:
        return None  # numbers, or votes
    if width == 4 or words > MANY_WORDS:
        because = Phrase("An id and a text of %(n)s words, between tabs: MS MARCO’s documents.", n=f"{words:.0f}")
        return Recognition(DOCUMENTS, "tsv", because, {"document": rows[0][0], "text": rows[0][-1]})
    because = Phrase("An id and a few words with a tab between: MS MARCO’s queries.")
    return Recognition(TOPICS, "tsv", because, {"topic": rows[0][0], "title": rows[0][1]})
