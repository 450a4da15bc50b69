"""A study over the birds that asks four questions besides the grade, one of them of each subtopic."""

from dataclasses import asdict
from uuid import uuid4

from judging.models import Question
from judging.studies.launch import launch
from judging.work.answers import Answer, record_judgement

QUESTIONS = [
    Question(name="credible", text="Would you believe it?"),
    Question(name="use", text="How useful is it?", kind="grades", options=["None", "Some", "Much"], required=False),
    Question(name="facts", text="Which facts does it hold?", by_subtopic=True),
    Question(name="why", text="Why?", kind="text", required=False),
]
SUBTOPICS = [{"number": "1", "text": "by day", "type": ""}, {"number": "2", "text": "by night", "type": ""}]
FULL = {"credible": 1, "use": 2, "facts": {"1": 1, "2": 0}, "why": "It says so."}


def launched(study, questions=QUESTIONS):
    """The study, launched with these questions, both topics with two subtopics."""
    study.collection.topics.update(subtopics=SUBTOPICS)
    study.questions = [asdict(question) for question in questions]
    study.save()
    launch(study, seed=1)
    return study


def reply(worker, item, grade=2, **replies):
    """Judge an item, with the least that must be replied and what is given."""
    answer = Answer(key=uuid4(), grade=grade, replies={"credible": 1, "facts": {"1": 0, "2": 0}} | replies)
    return record_judgement(worker=worker, item=item, answer=answer)
