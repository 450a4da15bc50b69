"""The API against its own schema: whatever schemathesis thinks of sending, answers are as the schema says, and never a 5xx."""

from contextlib import suppress
from itertools import pairwise

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from judging.models import Token
from tests.conftest import SOAKING, examples
from tests.judging.logs.sent import click

CHECKS = (not_a_server_error, content_type_conformance, response_schema_conformance)
EXAMPLES = examples(12)


@pytest.fixture
def api_schema(db):
    """The schema and the application, whose requests must leave the test's own connection and transaction open."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield schemathesis.openapi.from_wsgi("/api/v1/schema/", get_wsgi_application())
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def world(researcher, study, runs, make_worker):
    """What every `{id}` in an address stands for: something that is there, so that the endpoints have something to do."""
    import polars as pl

    from judging.collections.storage import store_qrels
    from judging.logs import sites
    from judging.logs.intake import receive
    from judging.models import Study, Upload
    from judging.recruiting.invites import invite, join
    from judging.studies.launch import launch

    running = Study.objects.create(collection=study.collection, name="Running", created_by=researcher, instructions="x")
    running.runs.set(runs)
    running.members.add(researcher)
    launch(running, seed=1)
    link = invite(running, by=researcher)
    worker = join(running, link=link, user=researcher)
    grades = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "grade": [1]})
    qrels = store_qrels(grades, collection=study.collection, name="official", by=researcher)
    upload = Upload.objects.create(collection=study.collection, kind="run", filename="r.txt", size=5, created_by=researcher)
    kept, token = Token.objects.create(user=researcher)
    site = sites.make(by=researcher, name="Bird shop")
    receive(site, [click()])
    receive(site, [click()], kind="query")
    return {
        "token": token,
        "collections": study.collection_id,
        "documents": study.collection.documents.first().pk,
        "topics": study.collection.topics.first().pk,
        "runs": runs[0].pk,
        "qrels": qrels.pk,
        "uploads": str(upload.pk),
        "drafts": study.pk,
        "studies": running.pk,
        "work": running.pk,
        "invites": link.pk,
        "workers": worker.pk,
        "tokens": kept.token_key,
        "sites": site.pk,
        "keys": site.keys.get().pk,
    }


def placed(case, world):
    """The values of an address's parameters: each stands behind the name of what it is."""
    parts = case.operation.path.split("/")
    draft = case.operation.path.endswith(("/launch/", "/plan/")) or case.method in ("PATCH", "DELETE")
    for before, part in pairwise(parts):
        if part.startswith("{"):
            noun = "drafts" if draft and before == "studies" else before
            case.path_parameters[part.strip("{}")] = world.get(noun, 1)


ENOUGH = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.one_database
@pytest.mark.slow
@pytest.mark.soak(short=True)
@pytest.mark.parametrize("mode", GenerationMode)
def test_answers_are_as_the_schema_says(api_schema, world, subtests, mode):
    """Of what it allows, and of what it does not: that of every second operation in the short form."""
    count = 0
    for number, operation in enumerate(api_schema.get_all_operations()):
        if not SOAKING and mode == GenerationMode.NEGATIVE and number % 2:
            continue
        with subtests.test(operation.ok().label):
            count += 1
            ask(operation.ok(), world, mode)
    assert count > 40


def ask(operation, world, mode):
    """Send the operation whatever schemathesis makes of its part of the schema, and undo what came of it."""

    @ENOUGH
    @given(case=operation.as_strategy(generation_mode=mode))
    def answered(case):
        placed(case, world)
        with transaction.atomic():
            response = case.call(headers={"Authorization": f"Token {world['token']}"})
            transaction.set_rollback(True)
        case.validate_response(response, checks=CHECKS)

    with suppress(Unsatisfiable):  # nothing can be wrong with a request that says nothing
        answered()


@pytest.mark.django_db
def test_it_is_made_once_for_everybody(client, monkeypatch):
    first = client.get("/api/v1/schema/").content
    monkeypatch.setattr(SchemaGenerator, "parse", None)
    assert client.get("/api/v1/schema/").content == first
