"""Experiments whose users are known, and their reports computed part by part as Celery workers would."""

import pytest

from tests.judging.logs.conftest import site  # noqa: F401
from tests.metrics.experiments.worlds import searches, send, started
from tests.metrics.logs.conftest import compute  # noqa: F401


@pytest.fixture
def experiment(site, researcher):  # noqa: F811
    """Ended as planned: sixty users an arm, and those of the new one click twice as often."""
    metrics = ["ctr", "abandonment", "conversion:purchase"]
    ab_test = started(site, researcher, stopped=True, metrics=metrics, segments=["device"], planned=120)
    send(site, searches(ab_test, {"control": 60, "new": 60}))
    return ab_test


@pytest.fixture
def report(experiment, compute):  # noqa: F811
    return compute(experiment)


@pytest.fixture
def reader(site, stranger):  # noqa: F811
    """Somebody who may read the site's reports, and see nothing of few."""
    site.readers.add(stranger)
    return stranger


@pytest.fixture
def read(client):
    """What a report's page says to somebody, without tags and scripts."""
    import re
    from html import unescape

    def read(experiment, user, query=""):
        client.force_login(user)
        response = client.get(f"/experiments/{experiment.pk}/report/{query}")
        assert response.status_code == 200
        text = re.sub(r"<script.*?</script>", "", response.content.decode(), flags=re.DOTALL)
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))

    return read
