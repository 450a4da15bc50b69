"""An item as a worker sees it. What is the same for every item of a study is rendered once."""

import json
import uuid
from dataclasses import dataclass
from functools import lru_cache

from django.http import HttpRequest
from django.middleware.csrf import get_token
from django.utils import translation
from django.utils.safestring import SafeString

from judging import assignment, identity
from judging.frozen import Frozen, hole
from judging.models import Item, Judgement, Slot, Study, Topic, Worker
from judging.prose import marked, marked_with_extract
from judging.tickets import ticket
from judging.training import Practice, place_of


@dataclass(frozen=True)
class Shown:
    """An item with what its answer must bring along."""

    item: Item
    name: str
    key: uuid.UUID | str
    offer: str
    standing: Judgement | None = None
    practice: Practice | None = None

    reasons = Judgement.CannotJudge.choices

    @property
    def passages(self) -> str:
        """As the form carries them."""
        return json.dumps(self.standing.passages) if self.standing and self.standing.passages else ""


def shown(worker: Worker, item: Item, standing: Judgement | None = None) -> Shown:
    return Shown(item, ticket(worker, item.pk), uuid.uuid4(), identity.offer(worker, item.pk), standing, practice(item))


def practice(item: Item) -> Practice | None:
    """Said of items in training alone: nothing tells other checks from work."""
    return place_of(item) if item.role == Item.Role.TRAINING else None


def counts(worker: Worker) -> dict[str, int]:
    """How far the worker is."""
    return {"done": assignment.done(worker), "items": items_of(worker.study)}


def items_of(study: Study) -> int:
    """How many items there are for one worker, who judges none of them twice."""
    work = study.pool_counts.get("items", 0)
    return min(work, study.most_judgements or work) + study.pool_counts.get("checks", 0)


def with_slot(template: str, request: HttpRequest, worker: Worker, slot: Slot) -> SafeString:
    """The page, or the part of it, that shows this slot's item to be judged."""
    study = worker.study
    facts = (study.pk, study.name, study.instructions, json.dumps(study.scale))
    in_training = practice(slot.item)
    page = frozen(template, translation.get_language(), facts, items_of(study), in_training is not None)
    return page.fill(
        csrf=get_token(request),
        name=ticket(worker, slot.item_id),
        key=uuid.uuid4(),
        offer=identity.offer(worker, slot.item_id),
        done=slot.done,  # type: ignore[attr-defined]  # an annotation
        evidence=evidence(slot.item),
        **(vars(in_training) if in_training else {}),
    )


@lru_cache(maxsize=64)
def frozen(template: str, language: str, facts: tuple[int, str, str, str], items: int, in_training: bool) -> Frozen:
    """The template in a language, for these facts about a study. A study that changes is another page."""
    study_id, name, instructions, scale = facts
    study = Study(pk=study_id, name=name, instructions=instructions, scale=json.loads(scale))
    place = Practice(hole("number"), hole("among")) if in_training else None  # type: ignore[arg-type]
    an_item = Shown(Item(), name=hole("name"), key=hole("key"), offer=hole("offer"), practice=place)
    holes = {"csrf_token": hole("csrf"), "evidence": hole("evidence"), "done": hole("done")}
    with translation.override(language):
        return Frozen(template, {"study": study, "shown": an_item, "items": items, **holes})


def evidence(item: Item) -> SafeString:
    """The topic and the document."""
    topic, document = item.topic, item.document
    text, extract = marked_with_extract(document.text, topic.title)
    values = {
        "query": topic.title,
        "description": topic.description if topic.description != topic.title else "",
        "narrative": topic.narrative,
        "title": marked(document.title, topic.title),
        "text": text,
        "extract": extract,
        "url": document.url,
    }
    given = tuple(name for name, value in values.items() if value)
    return frozen_evidence(translation.get_language(), given).fill(**values)


@lru_cache(maxsize=256)
def frozen_evidence(language: str, given: tuple[str, ...]) -> Frozen:
    """For topics and documents of which this is given. Its few words, looked up for every item, cost a tenth of the page."""
    holes = {name: hole(name) for name in given}
    topic = Topic(title=holes.get("query", ""), description=holes.get("description", ""), narrative=holes.get("narrative", ""))
    with translation.override(language):
        return Frozen("judging/_evidence.html", {"topic": topic, **holes})
