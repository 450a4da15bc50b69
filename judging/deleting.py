"""Taking evidence away: only what nothing was built on, and its files with it."""

from django.db import transaction
from django.db.models import ProtectedError
from django.db.models.fields.files import FieldFile

from judging.models import Collection, Run, Study


class InUse(ValueError):
    """Something was built on it; the text says what."""


@transaction.atomic
def delete_run(run: Run) -> None:
    """Forget a run and its file. One whose results were judged stays: it says where the items came from."""
    judged = run.studies.exclude(state=Study.State.DRAFT).first()
    if judged:
        raise InUse(f"The study “{judged}” was launched with this run, so it stays.")
    run.delete()
    transaction.on_commit(lambda: forget([run.file]))


@transaction.atomic
def delete_collection(collection: Collection) -> None:
    """Forget a collection with its documents, topics, runs, qrels and their files."""
    files = [run.file for run in collection.runs.all()] + [qrels.file for qrels in collection.qrels.all()]
    try:
        collection.delete()
    except ProtectedError:
        raise InUse("Studies belong to this collection, so it stays. Delete those that are drafts first.") from None
    transaction.on_commit(lambda: forget(files))


def forget(files: list[FieldFile]) -> None:
    for file in files:
        file.delete(save=False)


@transaction.atomic
def delete_study(study: Study) -> None:
    """Forget a draft. A launched study is evidence: it can be closed, not deleted."""
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.is_launched:
        raise InUse("This study is launched. Close it instead: its judgements are evidence and stay.")
    locked.delete()
