"""Deletion of evidence: only of what nothing was built on, and its files with it."""

from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from judging.audit import Deed, note, quoted
from judging.collections import local_copies
from judging.collections.storage import files_of
from judging.errors import Impossible
from judging.models import Attachment, Bonus, Collection, Enquiry, Exclusion, Image, Judgement, Markup, Qrels, Run, Study, User

JUDGED = _("This study has judgements. They are evidence and stay: close the study and archive it instead.")
PAID = _("Workers of this study were given a bonus. What was paid stays on record: close the study and archive it instead.")
REPORTED = {
    "run": ngettext_lazy(
        "%(number)s report would go with this run, so it stays. Delete the reports first.",
        "%(number)s reports would go with this run, so it stays. Delete the reports first.",
        "number",
    ),
    "qrels": ngettext_lazy(
        "%(number)s report would go with this qrels, so it stays. Delete the reports first.",
        "%(number)s reports would go with this qrels, so it stays. Delete the reports first.",
        "number",
    ),
    "collection": ngettext_lazy(
        "%(number)s report would go with this collection, so it stays. Delete the reports first.",
        "%(number)s reports would go with this collection, so it stays. Delete the reports first.",
        "number",
    ),
}


class InUse(Impossible):
    """Something was built on it; the text says what."""


@transaction.atomic
def delete_run(run: Run, *, by: User | None = None) -> None:
    """Forget a run and its files. One whose results were judged stays: it says where the items came from."""
    list(Study.objects.select_for_update(of=("self",)).filter(runs=run))  # none is launched until the run is gone, or stays
    judged = run.studies.exclude(state=Study.State.DRAFT).first()
    if judged:
        launched = gettext("The study “%(study)s” was launched with this run, so it stays.")
        raise InUse(launched % {"study": judged})
    refuse_if_reported(run.collection.reports.filter(parts__run=run), "run")
    note(Deed.DELETED, f"run {quoted(run.name)}", by, collection=run.collection)
    run.delete()
    transaction.on_commit(lambda: forget(files_of(run)))


@transaction.atomic
def delete_qrels(qrels: Qrels, *, by: User | None = None) -> None:
    """Forget one version of a qrels. A study's judgements stay and can be settled again.

    The file of its rows goes, too: other qrels with the very same grades have theirs made anew.
    """
    refuse_if_reported(qrels.collection.reports.filter(parts__qrels=qrels), "qrels")
    note(Deed.DELETED, f"qrels {quoted(qrels)}", by, qrels.study, qrels.collection)
    qrels.delete()
    transaction.on_commit(lambda: forget(files_of(qrels)))


def refuse_if_reported(reports: QuerySet, what: str) -> None:
    """Reports would go with their evidence; nobody should lose one by surprise."""
    number = reports.distinct().count()
    if number:
        raise InUse(REPORTED[what] % {"number": number})


@transaction.atomic
def delete_collection(collection: Collection, *, by: User | None = None) -> None:
    """Forget a collection with its documents, topics, runs, qrels, images, attachments and their files.

    Only studies refer to documents and topics. Once there is none, each table takes one DELETE. Django would load every text
    first, to look for what refers to it, while on SQLite everybody waits.
    """
    Collection.objects.select_for_update().get(pk=collection.pk)  # no study begins meanwhile
    refuse_if_reported(collection.reports.all(), "collection")
    if collection.studies.exists():
        raise InUse(gettext("Studies belong to this collection, so it stays. Delete those that nobody has judged in first."))
    attachments = Attachment.objects.filter(topic__collection=collection)
    markup = Markup.objects.filter(document__collection=collection)
    kept: list[Run | Qrels | Image | Attachment] = [*collection.runs.all(), *collection.qrels.all(), *collection.images.all()]
    files = [file for row in [*kept, *attachments] for file in files_of(row)]
    for rows in (attachments, markup, collection.images.all(), collection.documents.all(), collection.topics.all()):
        rows._raw_delete(rows.db)
    note(Deed.DELETED, f"collection {quoted(collection.name)}", by, collection=collection)
    collection.delete()
    transaction.on_commit(lambda: forget(files))


def forget(files: list[str]) -> None:
    for name in files:
        default_storage.delete(name)
        local_copies.forget(name)


def delete_study(study: Study, *, by: User | None = None) -> None:
    """Forget a study that nobody has judged in, with its links and whoever has joined. Judgements are evidence and stay.

    Answers do not wait for this. One that comes at the last moment is found by the database, which then refuses to commit.
    """
    try:
        with transaction.atomic():
            locked = Study.objects.select_for_update().get(pk=study.pk)
            refuse_if_judged(locked)
            locked.channels.all().delete()  # with their arrivals, which refer to workers
            of_workers = [model.objects.filter(worker__study=locked) for model in (Enquiry, Exclusion)]
            for rows in (*of_workers, locked.slots.all(), locked.items.all(), locked.workers.all(), locked.invites.all()):
                rows._raw_delete(rows.db)  # a million slots: one statement, and no look at what refers to each
            note(Deed.DELETED, f"study {quoted(locked)}", by, locked)
            locked.delete()
    except IntegrityError:
        raise InUse(JUDGED) from None


def refuse_if_judged(study: Study) -> None:
    if Judgement.objects.filter(item__study=study).exists():
        raise InUse(JUDGED)
    if Bonus.objects.filter(worker__study=study).exists():
        raise InUse(PAID)
