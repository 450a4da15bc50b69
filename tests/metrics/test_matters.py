"""What a question says matters is what every report on its systems plans for."""

import re
from html import unescape

import pytest

from tests.judging.logs.conftest import site  # noqa: F401
from tests.metrics.experiments.test_interleaving import TEXTS
from tests.metrics.experiments.worlds import impressions, searches, send, started
from tests.metrics.logs.conftest import compute as compute_of_logs  # noqa: F401
from tests.metrics.verdict.conftest import birds, compute, systems, votes_on  # noqa: F401

pytestmark = pytest.mark.django_db

EXPECTATIONS = {"votes": {"margin": 0.11}, "ab": {"margin": 0.0371}, "interleaving": {"margin": 0.033}}


@pytest.fixture
def asked(systems, researcher):  # noqa: F811
    from judging.collections.hypotheses import ask

    return ask(systems["lexical"], systems["dense"], by=researcher, expectations=EXPECTATIONS)


@pytest.fixture
def words(client, researcher):
    def words(address):
        client.force_login(researcher)
        page = client.get(address).content.decode()
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))

    return words


def of_the_systems(experiment, systems):  # noqa: F811
    for name in ("lexical", "dense"):
        experiment.arms.filter(name=name).update(version=systems[name].versions.first())


def test_votes(asked, collection, birds, researcher, make_worker, compute, words):  # noqa: F811
    from metrics.kinds.preferences.parts import PREFERENCES
    from metrics.kinds.studies import request_study_report

    study = votes_on(collection, birds, researcher, make_worker, chance=0.5)
    compute(request_study_report(PREFERENCES, study))
    address = f"/studies/{study.pk}/preferences/"
    assert "a difference of 0.11 in share of votes" in words(address)
    assert "what matters in the question dense against lexical" in words(address)
    study.runs.update(version=None)
    assert "a difference of 0.05 in share of votes" in words(address)


def test_ab_tests(asked, systems, site, researcher, compute_of_logs, words):  # noqa: F811
    experiment = started(site, researcher, arms=("lexical", "dense"), stopped=True, metrics=["ctr"], planned=50)
    send(site, searches(experiment, {"lexical": 40, "dense": 40}, chances={"lexical": 0.5, "dense": 0.5}))
    compute_of_logs(experiment)
    address = f"/experiments/{experiment.pk}/report/"
    assert "as the question" not in words(address)
    of_the_systems(experiment, systems)
    assert re.search(r"as the question dense against lexical has it \+3\.71 points", words(address))


def test_interleaving(asked, systems, site, researcher, compute_of_logs, words):  # noqa: F811
    experiment = started(
        site, researcher, arms=("lexical", "dense"), stopped=True, kind="interleaving", method="team_draft", planned=20
    )
    send(site, impressions(experiment, 30, prefers=0.5, arms=("lexical", "dense"), texts=TEXTS))
    compute_of_logs(experiment)
    address = f"/experiments/{experiment.pk}/report/"
    assert "a difference of 0.02 in Δ of interleaving" in words(address)
    of_the_systems(experiment, systems)
    assert "a difference of 0.033 in Δ of interleaving" in words(address)
    assert "what matters in the question dense against lexical" in words(address)


def test_others_questions_do_not_count(asked, systems, stranger):  # noqa: F811
    from metrics.kinds.margins import what_matters

    versions = tuple(system.versions.first().pk for system in systems.values())
    for order in (versions, versions[::-1]):
        assert what_matters("votes", order, user=asked.created_by) == (0.11, asked)
        assert what_matters("votes", order, user=stranger) == (0.05, None)
    assert what_matters("votes", (versions[0], None), user=asked.created_by) == (0.05, None)


def test_who_compares_two_systems_is_led_to_all_evidence_on_them(asked, systems, stranger, researcher, client):  # noqa: F811
    from judging.models import User
    from metrics.kinds.margins import way_to_verdict

    dense, lexical = (systems[name] for name in ("dense", "lexical"))
    versions = dense.versions.first().pk, lexical.versions.first().pk
    assert way_to_verdict(versions, researcher) == (f"/verdicts/{asked.pk}/", "See the verdict by all evidence")
    asked.delete()
    new = f"/verdicts/new/?a={lexical.pk}&b={dense.pk}"  # B is the first: the one that may be better
    assert way_to_verdict(versions, researcher) == (new, "Ask for a verdict by all evidence")
    assert way_to_verdict((versions[0], versions[0]), researcher) is None
    assert way_to_verdict((versions[0], None), researcher) is None
    assert way_to_verdict(versions, stranger) is None, "whose systems they are not"
    assert way_to_verdict(versions, User.objects.create_user("wim")) is None
    client.force_login(researcher)
    form = client.get(new).content.decode()
    chosen = [re.search(r'<option value="(\d+)" selected', form.partition(f'name="{name}"')[2]) for name in "ab"]
    assert [int(option[1]) for option in chosen] == [lexical.pk, dense.pk]
    assert client.get("/verdicts/new/?a=x&b=99999999999999999999").status_code == 200


def test_an_ab_test_asks_whether_its_arm_is_better_than_the_control(systems, site, researcher, compute_of_logs, client):  # noqa: F811
    experiment = started(site, researcher, arms=("lexical", "dense"), stopped=True, metrics=["ctr"], planned=50)
    send(site, searches(experiment, {"lexical": 40, "dense": 40}, chances={"lexical": 0.5, "dense": 0.5}))
    compute_of_logs(experiment)
    of_the_systems(experiment, systems)
    client.force_login(researcher)
    page = unescape(client.get(f"/experiments/{experiment.pk}/report/").content.decode())
    assert f'href="/verdicts/new/?a={systems["lexical"].pk}&b={systems["dense"].pk}"' in page
