"""What is read and written by hand is what the ORM would have read and written, on the database at hand."""

import uuid

import pytest
from django.db import connection

from judging.database.rows import Columns, adapted_value, insert, read
from judging.models import Judgement, Slot, Study, Worker
from judging.work import assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker(running, make_worker):
    return make_worker(running)


def all_columns(model, alias):
    return Columns(model, alias, " ".join(field.name for field in model._meta.concrete_fields))


def values(instance):
    return {field.attname: getattr(instance, field.attname) for field in instance._meta.concrete_fields}


def test_instances_are_the_orms(worker):
    assignment.next_slots(worker)
    parts = [all_columns(Worker, "worker"), all_columns(Study, "study"), all_columns(Slot, "slot")]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {', '.join(map(str, parts))} FROM judging_worker worker"
            " JOIN judging_study study ON study.id = worker.study_id JOIN judging_slot slot ON slot.worker_id = worker.id"
            " WHERE worker.key = %s",
            [adapted_value(Worker, "key", worker.key)],
        )
        instances = list(read(cursor.fetchone(), *parts))
    expected = [Worker.objects.get(), worker.study, Slot.objects.get(worker=worker)]
    assert [values(instance) for instance in instances] == [values(instance) for instance in expected]
    assert not any(instance._state.adding for instance in instances)


def test_what_was_left_out_is_fetched_when_asked_for(worker, django_assert_num_queries):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {Columns(Worker, 'w', 'id study')} FROM judging_worker w")
        instance = Columns(Worker, "w", "id study").read(cursor.fetchone())
    with django_assert_num_queries(1):
        assert instance.key == worker.key


def test_an_inserted_row_is_the_instance(worker):
    slot = assignment.next_slots(worker)[0]
    judgement = Judgement(
        key=uuid.uuid4(), item=slot.item, worker=worker, slot=slot, grade=2, comment="50 % sure", milliseconds=7
    )
    insert(judgement)
    assert values(Judgement.objects.get(pk=judgement.pk)) == values(judgement)
    assert judgement.created
