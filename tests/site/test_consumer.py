"""A Celery worker that has lost its broker."""

import pytest
from kombu.utils.imports import symbol_by_name

from ireval_site import celery_app
from ireval_site.consumer import PAUSES

MORE_TRIES_THAN_CELERYS_OWN = 200


class Enough(Exception):
    pass


@pytest.fixture
def consumer():
    consumer = object.__new__(symbol_by_name(celery_app.conf.worker_consumer))
    consumer.app, consumer.first_connection_attempt, consumer.broker_connection_retry_attempt = celery_app, False, 0
    return consumer


def test_it_looks_for_the_broker_every_few_seconds_and_never_gives_up(consumer, monkeypatch):
    slept, tries = [], []

    def refuse(connection):
        tries.append(sum(slept))
        if len(tries) > MORE_TRIES_THAN_CELERYS_OWN:
            raise Enough
        raise ConnectionRefusedError

    monkeypatch.setattr("kombu.utils.functional.sleep", slept.append)
    monkeypatch.setattr("kombu.connection.Connection._connection_factory", refuse)
    with pytest.raises(Enough):
        consumer.ensure_connected(celery_app.connection("redis://127.0.0.1/0"))
    assert tries[:5] == [0, 0.5, 1.5, 3, 5]
    assert tries[-1] - tries[-2] == PAUSES["interval_max"]
