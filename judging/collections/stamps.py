"""The stamp in the file storage that says which database its files belong to, and how old that is.

A sweep of stored files trusts the database to name those that are wanted. An empty, foreign or restored database names few of
them. So each sweep writes a new random stamp, into the database first and then into the storage. The next sweep goes on only
where the storage has the stamp that the database wrote last. The stamp before that one is accepted, too: a process may have been
killed in between. A database that knows the stamp knows whatever was committed before it. A stamp is a name, not a content: no
storage has to overwrite one.
"""

import secrets
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction

from judging.models import Installation

FOLDER = "stamps"
ABOUT = b"Says which database the files here belong to. Without it nothing that is left over is cleared away.\n"
REMEDY = "Nothing is cleared away. If this is the database of these files, say so: manage.py sweep_files --anyway."


class StorageRefused(Exception):
    """The stored files may belong to another database; the text says why, and what to do."""


def renew(*, stored: int, named: int) -> datetime:
    """Stamp the storage anew. What was committed before the moment that this returns is known to the database.

    Refused where the storage has another's stamp; or none, and more than a tenth of its files are unknown to the database.
    """
    with transaction.atomic():
        ours, stamps = locked_installation(), stored_stamps()
        refuse_others(ours, stamps)
        if not stamps and (stored - named) * 10 > stored:
            raise StorageRefused(
                f"This database names only {named} of the {stored} stored files, which have no stamp yet. {REMEDY}"
            )
        if stamps <= {name_of(ours, ours.stamp)}:
            advance(ours)
    return put_stamp(replaced=stamps)


def adopt() -> datetime:
    """Stamp the storage as this database's, whatever stamps it has."""
    with transaction.atomic():
        advance(locked_installation())
    return put_stamp(replaced=stored_stamps())


def belongs() -> bool:
    """Whether the stored files are known to be this database's."""
    stamps = stored_stamps()
    return bool(stamps) and stamps <= own_stamps(Installation.objects.filter(pk=1).first() or Installation())


def problem() -> str:
    """Why stored files are not swept, or which are missing, for admins; usually nothing."""
    return Installation.objects.filter(pk=1).values_list("problem", flat=True).first() or ""


def locked_installation() -> Installation:
    Installation.objects.get_or_create(pk=1)
    return Installation.objects.select_for_update().get(pk=1)


def stored_stamps() -> set[str]:
    """The names of the stamps in the storage: one, or two if a process was killed while it replaced it."""
    try:
        return {f"{FOLDER}/{name}" for name in default_storage.listdir(FOLDER)[1]}
    except FileNotFoundError:
        return set()


def refuse_others(ours: Installation, stamps: set[str]) -> None:
    unknown = stamps - own_stamps(ours)
    if any(not name.startswith(name_of(ours, "")) for name in unknown):
        raise StorageRefused(f"The stored files belong to another database (is DATABASE_URL the right one?). {REMEDY}")
    if unknown:
        raise StorageRefused(f"This database is older than the files, or a copy of the one that they belong to. {REMEDY}")


def own_stamps(ours: Installation) -> set[str]:
    return {name_of(ours, stamp) for stamp in (ours.stamp, ours.former_stamp)}


def name_of(ours: Installation, stamp: str) -> str:
    return f"{FOLDER}/{ours.identity}.{stamp}"


def advance(ours: Installation) -> None:
    ours.former_stamp, ours.stamp = ours.stamp, secrets.token_hex(16)
    ours.save(update_fields=["stamp", "former_stamp"])


@transaction.atomic
def put_stamp(*, replaced: set[str]) -> datetime:
    """Bring the stamp into the storage in place of others; when the oldest of all came there. One process at a time."""
    ours = locked_installation()
    stamp = name_of(ours, ours.stamp)
    if not default_storage.exists(stamp):
        default_storage.save(stamp, ContentFile(ABOUT))
    oldest = min(default_storage.get_modified_time(name) for name in stored_stamps() & {stamp, *replaced})
    for name in replaced - {stamp}:
        default_storage.delete(name)
    return oldest
