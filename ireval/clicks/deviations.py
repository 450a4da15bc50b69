"""Deviations of a log from UBI 1.3.0, counted."""

from dataclasses import dataclass, field
from typing import NamedTuple

import polars as pl

# Each kind of deviation, and how it was handled.
MEANING = {
    "not-json": "lines that are no JSON object: left out",
    "neither": "records with neither action_name nor user_query nor query_response_hit_ids: left out",
    "bulk": "action lines of the bulk format: skipped",
    "repeated-event": "events that repeat another to the letter: counted once",
    "click-through": "events called click_through: clicks",
    "no-query-id": "impressions and clicks without a query_id: left out",
    "no-object-id": "impressions and clicks without an object_id: impressions left out, clicks counted elsewhere",
    "no-timestamp": "records without a timestamp: of no known time",
    "unreadable-timestamp": "timestamps that are none: of no known time",
    "number-timestamp": "timestamps that are numbers: seconds or milliseconds since 1970",
    "session-in-attributes": "events whose session_id is in event_attributes: taken from there",
    "flat-position": "events with x and y outside position: not used",
    "no-ordinal": "impressions without position.ordinal: in the order of the file",
    "ordinal-elsewhere": "events whose ordinal is in index, or outside position: taken from there",
    "repeated-query": "query records with a query_id that another has: the last one that shows something counts",
    "two-texts": "queries of one query_id with different user_query: the text of the record that counts",
    "repeated-hit": "documents twice among query_response_hit_ids: the first one counts",
    "repeated-impression": "impressions of a document that the query has shown already: the first one counts",
    "impression-beyond-hits": "impressions of documents that are not among query_response_hit_ids: not used",
    "no-query-record": "queries of which there are events only: shown is what was logged as an impression",
    "no-user-query": "queries that show something and have no text: called by their query_id",
    "nothing-shown": "queries of which nobody knows what was shown: left out",
    "click-elsewhere": "clicks on what was not among the documents shown: counted elsewhere",
    "click-of-nothing-shown": "clicks of queries that are left out: left out",
    "click-before-query": "first clicks on a document that come before the query: of no known seconds",
}


class Deviation(NamedTuple):
    """How many `cases` of a `kind` there are, and the `line` of the first (a row in Parquet; 0 if it has none)."""

    kind: str
    cases: int
    line: int

    @property
    def meaning(self) -> str:
        """What the cases are, and how they were handled."""
        return MEANING[self.kind]


@dataclass(eq=False)
class Deviations:
    """The contents of a log: its query records, events by their action, and deviations by kind."""

    queries: int = 0
    actions: dict[str, int] = field(default_factory=dict)
    counted: dict[str, Deviation] = field(default_factory=dict)

    @property
    def entries(self) -> list[Deviation]:
        """Every deviation that occurs, in the order of MEANING."""
        return [self.counted[kind] for kind in MEANING if kind in self.counted]

    @property
    def events(self) -> int:
        """How many events there were, of all actions."""
        return sum(self.actions.values())

    def __getitem__(self, kind: str) -> int:
        """How many cases of a kind there are."""
        return self.counted[kind].cases if kind in self.counted else 0

    def note(self, kind: str, rows: pl.DataFrame) -> None:
        """Count rows that deviate; their column `line`, if there is one, says where they are."""
        if len(rows):
            line = rows["line"].min() if "line" in rows.columns else None
            self.counted[kind] = Deviation(kind, len(rows), line if isinstance(line, int) else 0)
