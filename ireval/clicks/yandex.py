"""Logs in Yandex's format, as its relevance prediction challenge (WSCD 2012) published them, and PyClick's excerpt of one."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import polars as pl

from ireval.clicks.deviations import Deviations
from ireval.clicks.sessions import Sessions, sessions_in_table
from ireval.io.files import MAX_BYTES, BadFile, ProblemList, lines, local_file, name_of

QUERY, CLICK = "Q", "C"
EXPECTED = "expected SessionID, TimePassed, Q, QueryID, RegionID and URLs, or SessionID, TimePassed, C and a URL, between tabs"
SHOWN = {
    "impression": pl.Int64,
    "query": pl.String,
    "document": pl.String,
    "rank": pl.Int64,
    "clicks": pl.Int64,
    "session": pl.String,
    "order": pl.Int64,
    "elsewhere": pl.Int64,
}


@dataclass(eq=False)
class Page:
    """What a query showed, and what was clicked of it, in the order of the clicks; `line` is the query's."""

    line: int
    session: str
    query: str
    documents: list[str]
    clicked: list[str] = field(default_factory=list)
    elsewhere: int = 0

    def rows(self) -> Iterator[tuple[object, ...]]:
        order = {document: place for place, document in enumerate(dict.fromkeys(self.clicked), start=1)}
        for rank, document in enumerate(dict.fromkeys(self.documents), start=1):
            clicks = self.clicked.count(document)
            yield self.line, self.query, document, rank, clicks, self.session, order.get(document, 0), self.elsewhere


def read_yandex(
    path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES
) -> tuple[Sessions, Deviations]:
    """Read a log of queries and clicks in Yandex's format, compressed or not.

    A query is SessionID, TimePassed, Q, QueryID, RegionID and the URLs shown; a click is SessionID, TimePassed, C and a URL, all
    between tabs. PyClick's excerpt has `query<tab>URLs : clicks;`, each a session. A query is its id and region, `12_3`. A click
    belongs to the last query of its session that showed the URL; a URL that none showed was clicked elsewhere. Seconds stay
    unknown, since Yandex does not say what it counts time in.

    Raises BadFile with up to 100 broken lines.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        log = YandexLog()
        problems = ProblemList(name)
        for number, line in lines(local, name=name, max_bytes=max_bytes):
            for complaint in log.add(number, line):
                problems.add(number, complaint)
            if problems.full:
                break
        problems.raise_if_any()
        if not log.pages:
            raise BadFile.because(name, f"holds no queries; {EXPECTED}")
        return log.sessions(), log.deviations()


class YandexLog:
    """The pages of a log, filled line by line; `last` has those of each session, the latest first."""

    def __init__(self) -> None:
        self.pages: list[Page] = []
        self.last: dict[str, list[Page]] = {}
        self.strange: dict[str, list[int]] = {"click-elsewhere": [], "click-of-nothing-shown": []}

    def add(self, number: int, line: str) -> Iterator[str]:
        """Add a line; yields what is wrong with it."""
        cells = line.split("\t")
        if is_excerpt(line):
            yield from self.add_excerpt(number, line)
        elif len(cells) > 5 and cells[2] == QUERY:
            self.show(Page(number, cells[0], f"{cells[3]}_{cells[4]}", cells[5:]))
        elif len(cells) == 4 and cells[2] == CLICK:
            self.click(number, cells[0], cells[3])
        elif line.strip():
            yield f"{EXPECTED}; found {len(cells)} columns"

    def add_excerpt(self, number: int, line: str) -> Iterator[str]:
        for text in filter(str.strip, line.split(";")):
            query, _, rest = text.strip().partition("\t")
            shown, colon, clicked = rest.partition(":")
            session = str(len(self.pages))
            if not colon or not words(shown):
                yield f'"{text.strip()[:50]}" is no session; expected a query, a tab, URLs, ":" and clicks'
                continue
            self.show(Page(len(self.pages), session, query, words(shown)))
            for document in words(clicked):
                self.click(number, session, document)

    def show(self, page: Page) -> None:
        self.pages.append(page)
        self.last.setdefault(page.session, []).insert(0, page)

    def click(self, number: int, session: str, document: str) -> None:
        pages = self.last.get(session, [])
        page = next((page for page in pages if document in page.documents), None)
        if page:
            page.clicked.append(document)
        elif pages:
            pages[0].elsewhere += 1
            self.strange["click-elsewhere"].append(number)
        else:
            self.strange["click-of-nothing-shown"].append(number)

    def sessions(self) -> Sessions:
        return sessions_in_table(frame_of(self.pages))

    def deviations(self) -> Deviations:
        clicks = sum(len(page.clicked) + page.elsewhere for page in self.pages)
        deviations = Deviations(len(self.pages), {"click": clicks + len(self.strange["click-of-nothing-shown"])})
        for kind, numbers in self.strange.items():
            deviations.note(kind, pl.DataFrame({"line": numbers}, schema={"line": pl.Int64}))
        repeated = [page.line for page in self.pages if len(set(page.documents)) < len(page.documents)]
        deviations.note("repeated-hit", pl.DataFrame({"line": repeated}, schema={"line": pl.Int64}))
        return deviations


def frame_of(pages: Iterable[Page]) -> pl.DataFrame:
    return pl.DataFrame([row for page in pages for row in page.rows()], schema=SHOWN, orient="row")


def is_yandex(line: str) -> bool:
    """Whether a log that begins with this line is in Yandex's format, or PyClick's excerpt.

    >>> is_yandex("7\\t0\\tQ\\t12\\t3\\t99"), is_yandex("12_3\\t99,98 : 98;"), is_yandex('{"user_query": "owls"}')
    (True, True, False)
    """
    cells = line.split("\t", 4)
    return is_excerpt(line) or (len(cells) > 3 and cells[2] in (QUERY, CLICK))


def is_excerpt(line: str) -> bool:
    before, tab, rest = line.partition("\t")
    return bool(tab) and ":" in rest.partition("\t")[0] and not before.lstrip().startswith("{")


def words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
