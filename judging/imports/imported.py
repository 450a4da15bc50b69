"""What an import says of itself, and the transaction in which it becomes visible."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.conf import settings
from django.db import transaction

from judging.models import Collection, Qrels, Run

# Called with the number of lines read so far.
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Imported:
    """What came in. `counts` are for programs, `notes` are sentences for people; `kept` is the run or qrels that was made."""

    kind: str
    counts: dict[str, int]
    notes: list[str] = field(default_factory=list)
    kept: Run | Qrels | None = None

    def as_summary(self) -> dict:
        """The same as JSON, for an upload's row."""
        return {"counts": self.counts, "notes": self.notes, "kept": self.kept.pk if self.kept else None}


# Inserts what was checked; called inside of all_or_nothing().
Insert = Callable[[], Imported]


def say_nothing(lines: int) -> None:
    """The progress of an import that nobody watches."""


@contextmanager
def all_or_nothing() -> Iterator[list[Imported]]:
    """One transaction; whatever is put on the list loses its stored file if the transaction fails."""
    done: list[Imported] = []
    try:
        with transaction.atomic():
            yield done
    except BaseException:
        for imported in done:
            if imported.kept:
                imported.kept.file.delete(save=False)
        raise


def insert_whole(insert: Insert) -> Imported:
    with all_or_nothing() as done:
        done.append(insert())
        return done[0]


def lock(collection: Collection) -> None:
    """Imports into one collection wait for each other, so that what was compared is what is inserted into.

    NO KEY UPDATE: new rows that refer to the collection, such as judgements' studies, need not wait.
    """
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)


def largest_unpacked(*limits: int) -> int:
    return min(settings.UNPACKED_MAX_BYTES, *limits) if limits else settings.UNPACKED_MAX_BYTES


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "topic"), counted(1400, "document")
    ('1 topic', '1,400 documents')
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
