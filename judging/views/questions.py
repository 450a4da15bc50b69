"""The questions that a worker answers about a document besides its grade, as their page shows them."""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import SafeString

from judging.models import Item, Judgement, Question, Study
from judging.work.replies import field_name


@dataclass(frozen=True)
class Part:
    """One reply that is asked for: to the whole question, or for one subtopic."""

    field: str
    reply: Any
    text: str = ""


def questions_html(item: Item, standing: Judgement | None = None) -> SafeString:
    """The study's further questions about the item, with what the worker replied; nothing where there are none."""
    if not item.study.questions:
        return SafeString()
    subtopics = item.topic.subtopics if item.study.asks_by_subtopic else []
    study = {"questions": item.study.questions, "translations": item.study.translations}
    facts = json.dumps([study, subtopics, standing.replies if standing else {}])
    return rendered(translation.get_language(), facts)


@lru_cache(maxsize=256)
def rendered(language: str, facts: str) -> SafeString:
    """The same for all documents of a topic, until they are answered."""
    fields, subtopics, replies = json.loads(facts)
    study = Study(**fields)
    rows = [row(place, question, subtopics, replies) for place, question in enumerate(study.question_list)]
    with translation.override(language):
        return SafeString(
            render_to_string(
                "judging/_questions.html", {"study": study, "questions": [shown for shown in rows if shown["parts"]]}
            )
        )


def row(place: int, question: Question, subtopics: list[dict], replies: dict) -> dict[str, Any]:
    reply = replies.get(question.name)
    parts = [Part(field_name(place), reply)]
    if question.by_subtopic:
        by_number = reply or {}
        parts = [
            Part(field_name(place, subtopic["number"]), by_number.get(subtopic["number"]), subtopic["text"])
            for subtopic in subtopics
        ]
    return {
        "text": question.text,
        "required": question.required or question.is_ticked,
        "is_graded": question.is_graded,
        "ticked": question.is_ticked,
        "scale": question.scale,
        "parts": parts,
    }
