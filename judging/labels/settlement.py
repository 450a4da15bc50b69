"""The settling of a study's results into a version of qrels."""

import polars as pl
from django.db.models import Count
from django.utils import timezone

from ireval.translatable import Counted, Phrase, joined
from judging.audit import Deed, note, quoted
from judging.collections.storage import all_or_nothing, has_grades, store_qrels
from judging.labels import adjudications, aggregation
from judging.labels.aggregation import METHOD_CHOICES
from judging.labels.results import current, label_votes, labelling_of, votes, with_known
from judging.models import Collection, Qrels, Study, User, Worker

SAME = ("method", "adjudicated grades", "adjudicated by")  # what a version with the same grades says that is not new


def settle_as_qrels(study: Study, *, by: User, method: str | None = None) -> Qrels:
    """Freeze the study's grades by one of METHOD_CHOICES (`default_method` if None) as a new qrels version of its collection.

    Gives the newest version where that has these grades by the same method.
    """
    method = method or aggregation.default_method(study)
    vote_frame = votes(study)
    labelling = label_votes(vote_frame, study, method)  # a model takes its time: nobody shall wait for the lock meanwhile
    settled = adjudications.adjudicated_grades(study)
    recipe = labelling.recipe() | vote_counts(study, vote_frame) | adjudications.about(study, settled)
    sentences = [
        Phrase(
            "%(method)s of %(judgements)s judgements by %(workers)s workers.",
            method=Phrase(METHOD_CHOICES[method].title),
            judgements=recipe["judgements"],
            workers=recipe["workers"],
        )
    ]
    frame = with_known(labelling.frame, study)
    if known := frame.height - labelling.frame.height:
        recipe["grades known before"] = known
        sentences.append(Counted("%(n)s grade was known before.", "%(n)s grades were known before.", known))
    if settled.height:
        sentences.append(Counted("%(n)s grade adjudicated.", "%(n)s grades adjudicated.", settled.height))
    description = joined(sentences, " ")
    frame = adjudications.with_adjudicated(frame, settled)
    return keep(study, frame, by=by, recipe=recipe, description=description, simulated=int(vote_frame["simulated"].sum()))


def settled_grades(study: Study, method: str | None = None) -> pl.DataFrame:
    """The grades by one of METHOD_CHOICES as they would be kept now: known ones beside them, adjudicated ones in their places."""
    frame = with_known(labelling_of(study, method).frame, study)
    return adjudications.with_adjudicated(frame, adjudications.adjudicated_grades(study))


def keep(
    study: Study, frame: pl.DataFrame, *, by: User, recipe: dict, description: str, simulated: int, question: str = ""
) -> Qrels:
    """Store these grades, or replies to a further question, as a new version of the study's qrels.

    If the newest version has the same grades by the same method, nothing is stored, and that one is returned.
    The collection is locked meanwhile: of two at once the second finds what the first has kept. A newer version that was
    imported under the same name is superseded like any other.
    """
    with all_or_nothing():
        Collection.objects.select_for_update(no_key=True).get(pk=study.collection_id)
        of_question = {"recipe__question": question} if question else {"recipe__question__isnull": True}
        # Machine judges' have names of their own.
        own = study.qrels.filter(recipe__machine__isnull=True, **of_question).order_by("-id").first()
        newest = study.collection.qrels.filter(name=own.name).order_by("version").last() if own else None
        same = newest and newest == own and all(newest.recipe.get(key) == recipe.get(key) for key in SAME)
        if newest and same and has_grades(newest, frame):
            return newest
        kept = store_qrels(
            frame,
            collection=study.collection,
            name=own.name if own else free_name(study, question),
            by=by,
            study=study,
            recipe=recipe,
            simulated_judgements=simulated,
            description=description,
            sparse=study.compares,
        )
        note(Deed.SETTLED, f"qrels {quoted(kept)}: {kept.rows:,} grades", by, study)
        return kept


def vote_counts(study: Study, vote_frame: pl.DataFrame) -> dict:
    """How many judgements and workers settled the grades, and how many have no vote at this moment."""
    excluded = current(study).filter(worker__standing=Worker.Standing.EXCLUDED)
    left_out = excluded.aggregate(workers=Count("worker", distinct=True), judgements=Count("id"))
    return {
        "judgements": vote_frame.height,
        "workers": vote_frame["worker"].n_unique(),
        "excluded workers": left_out["workers"],
        "their judgements": left_out["judgements"],
        "until": timezone.now().isoformat(timespec="seconds"),
    }


def free_name(study: Study, question: str = "") -> str:
    """The study's name, told apart from qrels that are there already: nobody has said that these grades succeed them."""
    taken = set(study.collection.qrels.values_list("name", flat=True))
    about = f" · {question}" if question else ""
    room = 120 - len(about)
    names = [f"{study.name[:room]}{about}", f"{study.name[: room - 20]}{about} (study)"]
    names.append(f"{study.name[: room - 30]}{about} (study {study.pk})")
    return next((name for name in names if name not in taken), names[-1])
