"""The outcome of an import, and the transaction in which it becomes visible."""

from collections.abc import Callable
from dataclasses import dataclass, field

from ireval.translatable import Counted, Phrase
from judging.collections.storage import all_or_nothing
from judging.models import Collection, Qrels, Run

# Called with the number of lines read so far.
Progress = Callable[[int], None]


@dataclass(frozen=True)
class ImportResult:
    """What came in. `counts` are for programs, `notes` are sentences for people; `kept` is the run or qrels that was made.

    Of result lists `runs` are all that were made, and `kept` is the run if there is one only.
    """

    kind: str
    counts: dict[str, int]
    notes: list[Phrase] = field(default_factory=list)
    kept: Run | Qrels | None = None
    runs: list[Run] = field(default_factory=list)

    def as_summary(self) -> dict:
        """The result as JSON, for an upload's row."""
        made = {"runs": [run.pk for run in self.runs]} if self.runs else {}
        return {"counts": self.counts, "notes": self.notes, "kept": self.kept.pk if self.kept else None} | made


# Inserts what was checked; called inside of storing.all_or_nothing().
Insert = Callable[[], ImportResult]


def say_nothing(lines: int) -> None:
    """The progress of an import that nobody watches."""


def insert_whole(insert: Insert) -> ImportResult:
    with all_or_nothing():
        return insert()


def lock(collection: Collection) -> None:
    """Imports into one collection wait for each other, so that what was compared is what is inserted into.

    NO KEY UPDATE: new rows that refer to the collection, such as judgements' studies, need not wait.
    """
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)


NOUNS = {
    "document": Counted("%(n)s document", "%(n)s documents", 1),
    "grade": Counted("%(n)s grade", "%(n)s grades", 1),
    "image": Counted("%(n)s image", "%(n)s images", 1),
    "result": Counted("%(n)s result", "%(n)s results", 1),
    "row": Counted("%(n)s row", "%(n)s rows", 1),
    "subtopic": Counted("%(n)s subtopic", "%(n)s subtopics", 1),
    "system": Counted("%(n)s system", "%(n)s systems", 1),
    "topic": Counted("%(n)s topic", "%(n)s topics", 1),
}


def number_with_noun(count: int, noun: str) -> Phrase:
    """A number with its noun.

    >>> number_with_noun(1, "topic"), number_with_noun(1400, "document")
    ('1 topic', '1,400 documents')
    """
    return Counted(NOUNS[noun].template, NOUNS[noun].many, count)
