"""An item as a worker sees it. What is the same for every item of a study is rendered once."""

import json
import uuid
from dataclasses import dataclass
from functools import lru_cache

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils import translation
from django.utils.safestring import SafeString

from judging.labels.training import Practice, place_of
from judging.models import Comparison, Item, Judgement, Slot, Study, Worker
from judging.pay.wages import wage
from judging.recruiting import identity
from judging.views import pair
from judging.views.document import topic_and_document
from judging.views.questions import questions_html
from judging.work.frozen_pages import Frozen, hole
from judging.work.progress import Progress, progress
from judging.work.tickets import ticket


@dataclass(frozen=True)
class JudgePage:
    """An item with what its answer must bring along."""

    item: Item
    name: str
    key: uuid.UUID | str
    offer: str
    standing: Judgement | None = None
    practice: Practice | None = None
    swapped: bool = False

    @property
    def template(self) -> str:
        return "judging/_pair.html" if self.item.study.compares else "judging/_item.html"

    @property
    def reasons(self) -> list:
        """Why it cannot be judged."""
        return pair.REASONS if self.item.study.compares else Judgement.CannotJudge.choices

    @property
    def passages(self) -> str:
        """The passages as the form carries them."""
        return json.dumps(self.standing.passages) if self.standing and self.standing.passages else ""


def judge_page(worker: Worker, item: Item, standing: Judgement | None = None, *, swapped: bool = False) -> JudgePage:
    item.study = worker.study
    offer = identity.offer(worker, item.pk, swapped=swapped)
    return JudgePage(item, ticket(worker, item.pk), uuid.uuid4(), offer, standing, practice(item), swapped)


def page_of_slot(worker: Worker, slot: Slot) -> JudgePage:
    return judge_page(worker, slot.item, swapped=worker.study.compares and slot.swapped)


def page_of_judgement(worker: Worker, standing: Judgement) -> JudgePage:
    """The item as it was when it was answered."""
    return judge_page(worker, standing.item, standing, swapped=worker.study.compares and standing.preference.swapped)


def bar(worker: Worker, so_far: Progress) -> dict:
    """What the bar above the page says: how far the worker is, and what that has earned."""
    return {"study": worker.study, "progress": so_far, "wage": wage(worker), "has_reply": worker.has_reply}


def practice(item: Item) -> Practice | None:
    """Said of items in training alone: nothing tells other checks from work."""
    return place_of(item) if item.role == Item.Role.TRAINING else None


def with_slot(template: str, request: HttpRequest, worker: Worker, slot: Slot, *, held: str = "") -> SafeString:
    """The page, or the part of it, that shows this slot's item to be judged. `held` names all that the worker holds."""
    page_item = page_of_slot(worker, slot)
    so_far = progress(worker, slot.done, more=1)  # type: ignore[attr-defined]  # an annotation
    so_far_paid = wage(worker)
    about = (so_far.items, so_far.is_about, so_far_paid is not None, worker.has_reply)
    page = frozen(template, translation.get_language(), facts_of(worker.study), about, page_item.practice is not None)
    return page.fill(
        csrf=get_token(request),
        name=page_item.name,
        key=page_item.key,
        offer=page_item.offer,
        done=so_far.done,
        wage=str(so_far_paid),
        held=held,
        evidence=evidence(page_item),
        questions=questions_html(page_item.item),
        **(vars(page_item.practice) if page_item.practice else {}),
    )


FACTS = ("pk", "name", "kind", "instructions", "scale", "questions", "translations")
ASKED = ("question", "points", "both_bad", "reasons", "marks_results")


def facts_of(study: Study) -> str:
    """What the page says of a study, whatever it shows."""
    comparison = {name: getattr(study.comparison, name) for name in ASKED} if study.compares else None
    return json.dumps([{name: getattr(study, name) for name in FACTS}, comparison])


@lru_cache(maxsize=64)
def frozen(template: str, language: str, facts: str, about: tuple[int, bool, bool, bool], in_training: bool) -> Frozen:
    """The template in a language, for these facts about a study. A study that changes is another page."""
    fields, comparison = json.loads(facts)
    study = Study(**fields)
    if comparison:
        Comparison(study=study, **comparison)
    place = Practice(hole("number"), hole("among")) if in_training else None  # type: ignore[arg-type]
    an_item = JudgePage(Item(study=study), name=hole("name"), key=hole("key"), offer=hole("offer"), practice=place)
    so_far = {"done": hole("done"), "items": about[0], "is_about": about[1]}
    holes = {
        "csrf_token": hole("csrf"),
        "evidence": hole("evidence"),
        "questions": hole("questions"),
        "progress": so_far,
        "wage": hole("wage") if about[2] else "",
        "held": hole("held"),
        "has_reply": about[3],
    }
    with translation.override(language):
        return Frozen(template, {"study": study, "shown": an_item, **holes})


def evidence(page_item: JudgePage) -> SafeString:
    """The topic, and the document or both lists."""
    if page_item.item.study.compares:
        return pair.evidence(
            page_item.item, page_item.name, swapped=page_item.swapped, standing=page_item.standing, is_preview=not page_item.key
        )
    return topic_and_document(page_item.item, is_preview=not page_item.key)


def questions(page_item: JudgePage) -> SafeString:
    return questions_html(page_item.item, page_item.standing)
