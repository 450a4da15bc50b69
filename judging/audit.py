"""The audit: notes who did what, beside the deed and in its transaction, and finds it again."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import translation
from django.utils.functional import Promise

from ireval.io.csv_rows import csv_of
from judging.models import AuditEntry, Collection, Site, Study, User

Deed = AuditEntry.Deed
LONGEST = 300
NOBODY = "no person"  # a rule did it, or the command line
COLUMNS = ["when", "by", "what", "about", "study", "collection"]


def note(
    deed: AuditEntry.Deed,
    about: str,
    by: User | None = None,
    study: Study | None = None,
    collection: Collection | None = None,
    *,
    site: Site | None = None,
) -> None:
    """An entry. What is done to a study is found with its collection, too, when the study is gone."""
    key = collection.pk if collection else study.collection_id if study else None
    AuditEntry.objects.create(deed=deed, about=shortened(about), by=by, study=study, collection_id=key, site=site)


def in_english(text: str | Promise) -> str:
    """A text that is in each reader's language, as it is stored for all of them."""
    with translation.override("en"):
        return str(text)


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


@transaction.atomic
def change(study: Study, wanted: dict, *, by: User | None) -> None:
    """Change settings of a study, and say which of them are others now."""
    before = Study.objects.select_for_update(no_key=True).values(*wanted).get(pk=study.pk)
    Study.objects.filter(pk=study.pk).update(**wanted)
    note_changes(study, before, wanted, by=by)


def note_changes(study: Study, before: dict, after: dict, *, by: User | None) -> None:
    """Which settings of a launched study are others now; a draft binds nobody yet."""
    names = [name for name in after if before[name] != after[name]]
    changed = [f"{name.replace('_', ' ')}: {value_text(before[name])} → {value_text(after[name])}" for name in names]
    if changed and study.is_launched:
        note(Deed.CHANGED, f"{quoted(study)}, {'; '.join(changed)}", by, study)


def settings_of(study: Study, names: Iterable[str]) -> dict:
    """What they are now, people by their names."""
    return {name: sorted(map(str, study.members.all())) if name == "members" else getattr(study, name) for name in names}


def value_text(value: object) -> str:
    if isinstance(value, dict):
        value = sorted(value)
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value in (None, "") else str(value)


def quoted(thing: object) -> str:
    return f"“{thing}”"


def history(entries: QuerySet[AuditEntry], *, deed: str = "", by: int | None = None, search: str = "") -> QuerySet[AuditEntry]:
    """The newest first, narrowed down. `by` is a user's key, 0 for what no person did."""
    if deed:
        entries = entries.filter(deed=deed)
    if by is not None:
        entries = entries.filter(by=by or None)
    if search:
        words = ("about", "by__username", "study__name", "collection__name")
        entries = entries.filter(Q(*((f"{word}__icontains", search) for word in words), _connector=Q.OR))
    return entries.select_related("by", "study", "collection").order_by("-id")


def people(entries: QuerySet[AuditEntry]) -> QuerySet[User]:
    """The people who did any of the entries' deeds."""
    return User.objects.filter(pk__in=entries.order_by().values("by")).order_by("username")


def as_csv(entries: Iterable[AuditEntry]) -> bytes:
    """The same whoever reads it: in English."""
    with translation.override("en"):
        return csv_of(COLUMNS, *map(row_of, entries)).encode()


def row_of(entry: AuditEntry) -> list[object]:
    when = entry.created.strftime("%Y-%m-%dT%H:%M:%SZ")
    return [when, entry.by or NOBODY, entry.get_deed_display(), entry.about, entry.study or "", entry.collection or ""]
