"""Labels of machine judges, apart from people's grades: how right they are, and qrels of their own that say so."""

from dataclasses import dataclass
from functools import cached_property

import polars as pl
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from ireval.agreement import cohen_kappa, percent_agreement, wilson_interval
from ireval.agreement.item_bootstrap import Agreement
from ireval.labels import Labels, labels_of
from ireval.translatable import Phrase
from judging.audit import Deed, note, quoted
from judging.collections.downloads import ENDINGS, grades_file
from judging.collections.storage import all_or_nothing, has_grades, store_qrels
from judging.labels import results
from judging.models import Collection, Item, Judgement, Qrels, Study, User, Worker
from judging.work import checks
from judging.work.checks import FIRST_POSITION, Score

GRADES = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}
ITEM = ["topic", "docno"]
LONGEST_NAME = 120


def machines_of(study: Study) -> QuerySet[Worker]:
    return study.workers.exclude(machine="").order_by("pk")


def judgements_by_machines(study: Study) -> int:
    return results.current(study).exclude(worker__machine="").count()


def pool_judgements(worker: Worker) -> QuerySet[Judgement]:
    """The machine's answers that stand, to items that people judge, too."""
    return results.current(worker.study).filter(worker=worker, item__position__lt=FIRST_POSITION)


def grades(worker: Worker) -> pl.DataFrame:
    rows = (
        pool_judgements(worker).filter(grade__isnull=False).values_list("item__topic__number", "item__document__docno", "grade")
    )
    return pl.DataFrame(list(rows), schema=GRADES, orient="row").sort(ITEM)


def grades_of_people(study: Study) -> pl.DataFrame:
    """The majority's grades, in which no machine has a vote: topic, docno, grade."""
    rows = [(label.topic, label.docno, label.grade) for label in results.labels(study)]
    return pl.DataFrame(rows, schema=GRADES, orient="row")


@dataclass(frozen=True, eq=False)
class MachineComparison:
    """A machine judge compared with gold and with most people's grade. `both` has one row per item with their grade and its
    own."""

    worker: Worker
    judged: int
    cannot_judge: int
    gold: Score
    both: pl.DataFrame
    scale: list[int]

    @property
    def compared(self) -> int:
        return self.both.height

    @property
    def gold_interval(self) -> tuple[float, float] | None:
        """Wilson's, of 95 %."""
        if not self.gold.answered:
            return None
        low, high = wilson_interval(self.gold.right, self.gold.answered)
        return float(low), float(high)

    @cached_property
    def agreement(self) -> list[Agreement]:
        """The share of the same grades, and Cohen's κ: unweighted, and by the square of the distance. None without an item."""
        if self.both.is_empty():
            return []
        labels = self.labels()
        return [percent_agreement(labels), cohen_kappa(labels), cohen_kappa(labels, "quadratic")]

    def labels(self) -> Labels:
        items = self.both.with_row_index("item")
        sides = [items.select("item", "topic", worker=pl.lit(side), label=pl.col(side)) for side in ("people", "machine")]
        return labels_of(pl.concat(sides), values=[str(grade) for grade in self.scale])

    @property
    def confusion(self) -> list[tuple[int, list[int]]]:
        """One row per grade of the people's: how often the machine gave each grade to such items."""
        counts = {(people, machine): n for people, machine, n in self.both.group_by("people", "machine").len().iter_rows()}
        return [(row, [counts.get((row, column), 0) for column in self.scale]) for row in self.scale]


def compare(study: Study, workers: QuerySet[Worker]) -> list[MachineComparison]:
    people = grades_of_people(study).rename({"grade": "people"})
    return [compare_worker(people, worker, study) for worker in workers.select_related("study")]


def compare_worker(people: pl.DataFrame, worker: Worker, study: Study) -> MachineComparison:
    own = grades(worker)
    return MachineComparison(
        worker=worker,
        judged=own.height,
        cannot_judge=pool_judgements(worker).filter(grade__isnull=True).count(),
        gold=checks.score(worker, Item.Role.GOLD),
        both=own.rename({"grade": "machine"}).join(people, on=ITEM).sort(ITEM),
        scale=study.grades,
    )


def settle_as_qrels(worker: Worker, *, by: User) -> Qrels:
    """Keep a machine's grades as a qrels version of its own; the newest one if it has these grades."""
    study, frame = worker.study, grades(worker)
    if frame.is_empty():
        raise results.NothingYet(_("%(machine)s has not graded anything of the pool yet.") % {"machine": worker.machine})
    with all_or_nothing():
        collection = Collection.objects.select_for_update(no_key=True).get(pk=study.collection_id)
        name = name_of(worker)
        newest = collection.qrels.filter(name=name).order_by("version").last()
        if newest and is_by_machine(newest, worker) and has_grades(newest, frame):
            return newest
        kept = store_qrels(
            frame,
            collection=collection,
            name=name,
            by=by,
            study=study,
            recipe=recipe(worker, frame.height),
            simulated_judgements=frame.height,
            description=Phrase(
                "Grades of the machine judge %(machine)s alone in the study “%(study)s”. No person gave one.",
                machine=worker.machine,
                study=study.name,
            ),
        )
        note(Deed.SETTLED, f"qrels {quoted(kept)} of the machine judge {worker}: {kept.rows:,} grades", by, study)
        return kept


def qrels_file(worker: Worker, form: str) -> bytes:
    """The bytes of the machine's grades. OtherFormatNeeded: an id that TREC's format cannot carry."""
    return grades_file(grades(worker), form)


def filename(worker: Worker, form: str) -> str:
    return f"{slugify(name_of(worker)) or worker}.{ENDINGS[form]}"


def recipe(worker: Worker, judgements: int) -> dict:
    return {
        "method": "machine judge",
        "machine": worker.machine,
        "worker": str(worker),
        "judgements": judgements,
        "workers": 1,
        "until": timezone.now().isoformat(timespec="seconds"),
    }


def is_by_machine(qrels: Qrels, worker: Worker) -> bool:
    return qrels.study_id == worker.study_id and qrels.recipe.get("worker") == str(worker)


def name_of(worker: Worker) -> str:
    """The study's name and the machine's, which no other qrels have."""
    room = LONGEST_NAME - len(" · ") - 12
    machine = worker.machine[: room // 2]
    plain = f"{worker.study.name[: room - len(machine)]} · {machine}"
    taken = worker.study.collection.qrels.filter(name=plain)
    return plain if all(is_by_machine(qrels, worker) for qrels in taken) else f"{plain} ({worker})"
