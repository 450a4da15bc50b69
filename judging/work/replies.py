"""Replies to the questions that a study asks besides the grade, each a number or a text, or one for each subtopic."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from judging.models import Item, Question, Topic

MOST_TEXT = 500

Reply = int | str
Replies = dict[str, Any]  # by the question's name; of a question by subtopic a dict, by the subtopic's number


def numbers_of(topic: Topic) -> list[str]:
    """The numbers of the topic's subtopics, as qrels name them."""
    return [subtopic["number"] for subtopic in topic.subtopics]


def field_name(place: int, subtopic: str = "") -> str:
    """The form's field for a reply to the question at this place."""
    return f"reply-{place}-{subtopic}" if subtopic else f"reply-{place}"


def read(form: Mapping[str, str], questions: list[Question], item: Item) -> Replies:
    """The replies that a form brings; what is left blank is left out, but a subtopic's empty box is a no.

    ValueError where a number is none.
    """
    replies: Replies = {}
    for place, question in enumerate(questions):
        if question.by_subtopic:
            fields = {number: field_name(place, number) for number in numbers_of(item.topic)}
            parts = {number: read_reply(form.get(name, ""), question) for number, name in fields.items()}
            reply: Any = {number: part for number, part in parts.items() if part not in ("", None)}
        else:
            reply = read_reply(form.get(field_name(place), ""), question)
        if reply not in ("", None, {}):
            replies[question.name] = reply
    return replies


def read_reply(text: str, question: Question) -> Reply | None:
    if not question.is_graded:
        return text.replace("\0", "").strip()
    if not text:
        return 0 if question.is_ticked else None
    return int(text)


def problem(replies: Replies, questions: list[Question], item: Item, *, complete: bool = True) -> str | None:
    """Why these are no replies to the questions, for the worker; None if they are. Required ones must be there if `complete`."""
    known = {question.name: question for question in questions}
    if strange := replies.keys() - known.keys():
        return _("“%(name)s” is not a question of this study.") % {"name": min(strange)}
    for name, question in known.items():
        if why := problem_with(replies.get(name), question, item, complete=complete):
            return why
    return None


def problem_with(reply: Any, question: Question, item: Item, *, complete: bool) -> str | None:
    if question.by_subtopic:
        asked = numbers_of(item.topic)
        parts = {} if reply is None else reply
        if not isinstance(parts, dict) or not parts.keys() <= set(asked):
            return unfit(question)
        given = [parts.get(number) for number in asked]
    else:
        given = [reply]
    if complete and question.required and None in given:
        return _("Answer this question, too: %(question)s") % {"question": question.text}
    return None if all(part is None or fits(part, question) for part in given) else unfit(question)


def unfit(question: Question) -> str:
    return _("That is no answer to this question: %(question)s") % {"question": question.text}


def fits(reply: Any, question: Question) -> bool:
    if question.is_graded:
        return type(reply) is int and 0 <= reply < len(question.labels)
    return isinstance(reply, str) and 0 < len(reply) <= MOST_TEXT and "\0" not in reply
