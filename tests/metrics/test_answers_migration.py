"""From earlier answers of verdicts alone to those of every kind: what was kept is kept."""

import pytest
from django.utils import timezone

from metrics.kinds.answers import as_told
from metrics.models import EarlierAnswer
from tests.migrating import migrate_back, migrate_on
from tests.world import asked_about

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.soak]

BEFORE = (("metrics", "0009_looks"), ("judging", "0016_chosen_documents"))
SOURCES = {"experts": {"n": 24, "unit": "topics", "facts": {"qrels": "x"}}}


@pytest.fixture
def earlier():
    """The models of before; whatever happens, today's tables are there afterwards."""
    yield lambda: migrate_back(*BEFORE)
    migrate_on()


def test_an_answer_keeps_its_sentence_its_outcome_and_its_evidence(collection, researcher, earlier):
    hypothesis, moment = asked_about(collection, researcher), timezone.now()
    old = earlier().get_model("metrics", "EarlierAnswer").objects
    old.create(
        hypothesis_id=hypothesis.pk, computed=moment, sentence="new is better.", outcome="better", evidence=SOURCES,
        engine_version="7",
    )  # fmt: skip
    migrate_on()
    answer = EarlierAnswer.objects.get()
    assert (answer.kind, answer.hypothesis, answer.for_readers) == ("verdict", hypothesis, None)
    assert as_told(answer, to_readers=False) == (moment, "7", "new is better.", {"outcome": "better", "sources": SOURCES})
