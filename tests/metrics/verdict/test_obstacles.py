"""What an experiment's own page refuses to say, a verdict does not say either; and in which direction it decides."""

import pytest

from judging.collections.systems import confirm
from judging.models import Arm, Site
from metrics.kinds.verdict.evidence import left_out, sources
from metrics.kinds.verdict.freshness import follow
from metrics.kinds.verdict.next_steps import missing
from metrics.kinds.verdict.results import VerdictResults
from metrics.kinds.verdict.words import cautions
from metrics.models import Report
from tests.metrics.experiments.worlds import impressions, searches, send, started
from tests.metrics.logs.conftest import compute as compute_log  # noqa: F401

pytestmark = pytest.mark.django_db

EVEN = {"control": 60, "new": 60}


@pytest.fixture
def between(collection, systems, researcher):
    """Begin an experiment whose arms are the two systems: lexical is the control."""
    site = Site.objects.create(name="Shop", slug="shop", owner=researcher, collection=collection)

    def begin(kind="ab", **settings):
        usual = {"name": kind, "stopped": True, "planned": 40, "metrics": ["ctr"], "looks": "always_valid"}
        experiment = started(site, researcher, kind=kind, **{**usual, **settings})
        for name, system in (("control", "lexical"), ("new", "dense")):
            confirm(collection, [(Arm.objects.get(experiment=experiment, name=name), system, "9")], by=researcher)
        return experiment

    return begin


@pytest.mark.parametrize(("metric", "word"), [("ctr", "better"), ("abandonment", "worse"), ("first-click-rr", "unknown")])
def test_less_is_better_where_the_metric_says_so(hypothesis, computed, between, compute_log, metric, word):  # noqa: F811
    """The new arm's users click more often, and where they click is by lot."""
    experiment = between(metrics=[metric])
    chances = {"control": 0.2, "new": 0.8} if metric == "ctr" else {"control": 0.8, "new": 0.2}
    send(experiment.site, searches(experiment, EVEN, chances=chances))
    compute_log(experiment)
    (row,) = [row for row in VerdictResults(computed(hypothesis)).rows if row.key == "ab"]
    assert (row.word, left_out(hypothesis)) == (word, {})


@pytest.mark.parametrize(
    ("obstacle", "plan", "users"),
    [
        ("early", {"stopped": False, "looks": "fixed", "planned": 1000}, EVEN),
        ("early", {"stopped": False, "days": 0.5, "planned": 1000}, EVEN),
        ("flawed", {}, {"control": 160, "new": 60}),
        ("undirected", {"metrics": ["searches"]}, EVEN),
        ("empty", {}, {}),
    ],
)
def test_what_its_page_does_not_say_decides_nothing(
    hypothesis, computed, between, compute_log, obstacle, plan, users  # noqa: F811
):  # fmt: skip
    experiment = between(**plan)
    send(experiment.site, searches(experiment, users))
    compute_log(experiment)
    assert [source.kind for source in sources(hypothesis)] == ["experts"]
    assert left_out(hypothesis) == {"ab": obstacle}
    results = VerdictResults(computed(hypothesis))
    assert [caution for caution in cautions(results) if caution.startswith("The newest A/B test is left out: ")]


def test_interleaving_without_a_credited_click_stands_in_nobodys_way(hypothesis, computed, between, compute_log):  # noqa: F811
    experiment = between("interleaving", metrics=[])
    send(experiment.site, [record for record in impressions(experiment, 20) if "user_query" in record])
    compute_log(experiment)
    results = VerdictResults(computed(hypothesis))
    assert results.report.error == ""
    assert "The newest interleaving is left out: it has nothing to compare yet." in cautions(results)


def test_an_older_experiment_counts_where_a_newer_one_is_to_wait(hypothesis, computed, between, compute_log):  # noqa: F811
    for name, plan in (("older", {}), ("newer", {"stopped": False, "days": 0.5, "planned": 1000})):
        experiment = between(name=name, **plan)
        send(experiment.site, searches(experiment, EVEN, first=0 if name == "older" else 500))
        compute_log(experiment)
    results = VerdictResults(computed(hypothesis))
    assert "ab" in {row.key for row in results.rows}
    assert "The newest A/B test is left out: it is not to be read yet." in cautions(results)


def test_a_verdict_that_rested_on_what_proves_flawed_is_asked_for_anew(hypothesis, computed, between, compute_log):  # noqa: F811
    experiment = between()
    send(experiment.site, searches(experiment, EVEN))
    compute_log(experiment)
    assert {row.key for row in VerdictResults(computed(hypothesis)).rows} == {"experts", "ab"}
    send(experiment.site, searches(experiment, {"control": 200}, first=500))
    compute_log(experiment)
    follow(Report.objects.filter(kind="ab").latest("pk"))
    assert {row.key for row in VerdictResults(computed(hypothesis)).rows} == {"experts"}


def test_without_other_evidence_the_page_says_what_is_the_matter(hypothesis, between, compute_log, collection):  # noqa: F811
    collection.qrels.all().delete()
    experiment = between(stopped=False, looks="fixed", planned=1000)
    send(experiment.site, searches(experiment, EVEN))
    compute_log(experiment)
    assert not Report.objects.filter(kind="verdict").exists()  # nobody asked, and there is nothing to say
    assert [gap.lacks for gap in missing(hypothesis)][-1] == "“ab” is left out: it is not to be read yet"
