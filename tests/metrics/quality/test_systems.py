"""What labels mean for the systems: computed as a step, said in words, shown with its table, and given away as a file."""

import csv
import io
from dataclasses import replace

import pytest
from django.urls import reverse

from ireval import evaluate
from judging.collections.storage import run_frame
from judging.labels import results
from judging.work.exclusions import exclude
from metrics.kinds.quality.effect import affordable, effect
from metrics.kinds.quality.effect_words import how_orders_differ, in_words, what_workers_add
from metrics.kinds.quality.evidence import evidence_of
from metrics.kinds.quality.figures import effect_figure
from metrics.kinds.quality.files import row
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.quality.systems import effect_of
from metrics.kinds.runs.results import Estimate
from metrics.kinds.studies import request_study_report
from tests import conftest, sharing
from tests.metrics.quality import conftest as crowds

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("report"), pytest.mark.one_database]
db = sharing.db
researcher, collection, runs = map(sharing.once, (conftest.researcher, conftest.collection, conftest.runs))
study, make_worker = map(sharing.once, (conftest.study, conftest.make_worker))
crowd, compute, report = map(sharing.once, (crowds.crowd, crowds.compute, crowds.report))


@pytest.fixture
def ap_effect(report):
    return effect_of(report, "AP")


def test_means_are_those_of_the_settled_grades(report, runs):
    grades = results.labelling_of(report.study, "majority").frame.select("topic", "docno", "grade")
    for measure in ("AP", "nDCG@10", "Bpref"):
        seen = effect_of(report, measure)
        assert {system.name: system.alone.mean for system in seen.systems} == pytest.approx(
            {run.name: evaluate(run_frame(run), grades, measure).means()[measure] for run in runs}
        )


def test_every_method_that_needs_no_gold_orders_the_systems(ap_effect):
    assert ap_effect.methods == ["ordinal", "majority", "dawid-skene", "median", "mean"]
    assert "no item has gold" in ap_effect.refused["gold-weighted"]
    assert [len(system.under) for system in ap_effect.systems] == [5, 5]
    assert [system.under[1][1] for system in ap_effect.systems] == sorted(system.under[1][1] for system in ap_effect.systems)


def test_both_intervals_hold_the_mean(ap_effect):
    for system in ap_effect.systems:
        for estimate in (system.alone, system.both):
            assert estimate.low <= estimate.mean <= estimate.high
    assert (ap_effect.topics, ap_effect.workers, ap_effect.resamples, ap_effect.undefined) == (2, 3, 1000, "")


def test_how_much_is_judged_is_known(ap_effect, report, runs):
    grades = results.labelling_of(report.study, "majority").frame.select("topic", "docno", "grade")
    judged = {run.name: evaluate(run_frame(run), grades, "Judged@10").means()["Judged@10"] for run in runs}
    assert {system.name: system.judged for system in ap_effect.systems} == pytest.approx(judged)
    assert min(judged.values()) < 1


def test_the_same_evidence_gives_the_same(report):
    assert effect(evidence_of(report)).result == effect(evidence_of(report)).result


def test_without_a_vote_or_a_run_it_says_why(crowd, report, compute):
    report.delete()
    crowd.runs.clear()
    assert effect_of(compute(request_study_report(QUALITY, crowd))) == "The study has pooled no runs."


def test_one_worker_adds_what_cannot_be_told(crowd, compute, rita):
    for worker in crowd.workers.all()[1:]:
        exclude(worker, reason="to be alone")
    ap_effect = effect_of(compute(request_study_report(QUALITY, crowd)))
    assert what_workers_add(ap_effect) == "What the workers add to the uncertainty cannot be told: there is a single worker."
    assert [trace["name"] for trace in effect_figure(ap_effect)["data"]] == ["Topics alone"]
    assert rita.get(reverse("study_systems", args=[crowd.pk])).status_code == 200


# ---------------------------------------------------------------------------------------------------------- in words


def with_places(ap_effect, *by_method):
    """The same with the systems at these places under each way; the first is the majority."""
    names = ("best", "next", "third")
    systems = [
        replace(ap_effect.systems[0], name=name, under=[(0.5, places[place]) for places in by_method])
        for place, name in enumerate(names)
    ]
    return replace(ap_effect, systems=systems, methods=["majority", "ordinal", "mean"][: len(by_method)])


def test_it_says_where_the_best_two_change_places(ap_effect):
    sentences = how_orders_differ(with_places(ap_effect, (1, 2, 3), (2, 1, 3), (1, 2, 3)))
    assert sentences == ["Ordinal model: the two best by majority, “best” and “next”, change places."]


def test_it_says_who_falls_furthest(ap_effect):
    sentences = how_orders_differ(with_places(ap_effect, (1, 2, 3), (3, 1, 2)))
    assert sentences == ["Ordinal model: “best” falls from place 1 by majority to 3."]


def test_it_says_that_nothing_changes(ap_effect):
    sentences = how_orders_differ(with_places(ap_effect, (1, 2, 3), (1, 2, 3)))
    assert sentences == ["Every way to settle puts the systems in the same order."]


@pytest.mark.parametrize(
    ("widening", "sentence"),
    [
        ([0.18, 0.18], "Workers add 18 % to the width of the interval (18 to 18 %, by system)"),
        ([-0.031, 0.18], "Workers add 7 % to the width of the interval (−3 to 18 %, by system)"),
        ([-0.05, -0.05], "adds next to nothing"),
        ([0.001, 0.002], "adds next to nothing"),
        ([None, None], "the intervals have no width"),
    ],
)
def test_it_says_what_workers_add(ap_effect, widening, sentence):
    systems = [replace(system, widening=share) for system, share in zip(ap_effect.systems, widening, strict=True)]
    assert sentence in what_workers_add(replace(ap_effect, systems=systems))


def test_intervals_are_cut_off_where_the_measure_ends(ap_effect):
    system = replace(ap_effect.systems[0], alone=Estimate(0.9, 0.7, 1.1))
    assert system.alone_shown == Estimate(0.9, 0.7, 1.0)
    assert row(system)[2:5] == [0.9, 0.7, 1.0]


def test_large_studies_get_fewer_resamples(report):
    how = evidence_of(report).resampling
    assert affordable(how, 10_000) == how
    assert affordable(how, 10**6).resamples == 500
    assert affordable(how, 10**9).resamples == 200


# ------------------------------------------------------------------------------------------------------------ the page


def test_the_page_says_it_in_words_and_tables(rita, report):
    page = rita.get(reverse("study_systems", args=[report.study_id]), {"measure": "AP"})
    text = page.content.decode()
    seen = effect_of(report, "AP")
    for sentence in in_words(seen):
        assert sentence in text
    for system in seen.systems:
        assert f"{system.alone.mean:.4f}" in text
    assert "Owen 2007" in text
    assert "Judged@10" in text
    assert "<option selected>AP</option>" in text


def test_a_measure_that_was_not_computed_is_the_first(rita, report):
    page = rita.get(reverse("study_systems", args=[report.study_id]), {"measure": "magic"})
    assert page.context["effect"].measure == "nDCG@10"


def test_before_anything_is_computed_it_leads_to_the_page_that_asks(rita, crowd, report):
    report.delete()
    assert rita.get(reverse("study_systems", args=[crowd.pk])).url == reverse("study_quality", args=[crowd.pk])


def test_a_report_of_earlier_times_says_so(rita, report):
    report.spec = report.spec | {"steps": ["agreement", "items", "workers"]}
    report.save(update_fields=["spec"])
    report.parts.filter(name="effect").delete()
    page = rita.get(reverse("study_systems", args=[report.study_id])).content.decode()
    assert "Not computed yet" in page
    file = rita.get(reverse("study_quality_download", args=[report.study_id, "systems.csv"]))
    assert file.content.decode() == "run,measure\n"


def test_the_file_has_every_measure(rita, report):
    file = rita.get(reverse("study_quality_download", args=[report.study_id, "systems.csv"]))
    rows = list(csv.DictReader(io.StringIO(file.content.decode())))
    assert {row["measure"] for row in rows} == {"nDCG@10", "AP", "P@10", "RR", "Bpref"}
    assert len(rows) == 10
    system = effect_of(report, "AP").systems[0]
    row = next(row for row in rows if (row["run"], row["measure"]) == (system.name, "AP"))
    assert float(row["mean"]) == system.alone.mean == float(row["mean majority"])
    assert int(row["place ordinal"]) == system.under[0][1]


def test_it_is_nobody_elses(client, report, stranger):
    client.force_login(stranger)
    assert client.get(reverse("study_systems", args=[report.study_id])).status_code == 404
