"""The page on differences: what can be told apart, in words, as a matrix, pair by pair and topic by topic."""

import csv
import html
import io
import json
import re

import numpy as np
import polars as pl
import pytest
from scipy import stats

from ireval.planning.topics import topics_needed
from judging.collections.hypotheses import ask as ask_hypothesis
from judging.collections.storage import store_qrels, store_run
from judging.models import Run, System, Version
from metrics.kinds.runs.difference_words import confidence, in_words
from metrics.kinds.runs.differences import Differences
from metrics.kinds.runs.question import request_report
from metrics.kinds.runs.results import values
from metrics.kinds.runs.topic_duel import duel
from tests import conftest, sharing
from tests.metrics import conftest as reports

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("many"), pytest.mark.one_database]
db = sharing.db
researcher, collection = map(sharing.once, (conftest.researcher, conftest.collection))
compute, many = map(sharing.once, (reports.compute, reports.many))


@pytest.fixture
def page(rita, many):
    def page(query=""):
        answer = rita.get(f"/reports/{many.pk}/differences/{query}")
        assert answer.status_code == 200
        return html.unescape(answer.content.decode())

    return page


def chosen(report, **choice) -> Differences:
    usual = {"qrels": report.spec["qrels"][0]["id"], "measure": "AP", "test": "t", "correction": "holm"}
    return Differences(report=report, **usual | choice)


def per_topic(report, measure="AP") -> dict[str, np.ndarray]:
    qrels = report.spec["qrels"][0]["id"]
    return {run["name"]: values(report, qrels=qrels, run=run["id"])[measure].to_numpy() for run in report.spec["runs"]}


def ids(report) -> dict[str, int]:
    return {run["name"]: run["id"] for run in report.spec["runs"]}


def test_the_better_run_comes_first_and_p_is_corrected_as_scipys(many):
    differences, by_name = chosen(many, correction="bh"), per_topic(many)
    assert [run.name for run in differences.runs] == sorted(by_name, key=lambda name: -by_name[name].mean())
    p = [
        stats.ttest_rel(by_name[differences.names[pair.first]], by_name[differences.names[pair.second]]).pvalue
        for pair in differences.pairs
    ]
    assert [pair.p for pair in differences.pairs] == pytest.approx(p)
    assert [pair.corrected for pair in differences.pairs] == pytest.approx(stats.false_discovery_control(p))
    assert all(pair.difference > 0 for pair in differences.pairs)


def test_holm_multiplies_the_smallest_p_by_the_number_of_pairs(many):
    least = min(chosen(many).pairs, key=lambda pair: pair.p)
    assert least.corrected == pytest.approx(6 * least.p)


def test_an_interval_has_the_confidence_that_its_correction_leaves_it(many):
    for pair in chosen(many).pairs:
        error = abs(pair.difference) / stats.t.isf(pair.p / 2, pair.n - 1)
        ends = stats.t.interval(pair.level, pair.n - 1, pair.difference, error)
        assert (pair.low, pair.high) == pytest.approx((max(ends[0], -1), min(ends[1], 1)))
    smallest = min(chosen(many).pairs, key=lambda pair: pair.p)
    assert smallest.level == pytest.approx(1 - 0.05 / 6)
    assert all(pair.level == pytest.approx(0.95) for pair in chosen(many, correction="none").pairs)
    best, *_ = chosen(many).runs
    closest = min((pair for pair in chosen(many).told_apart if pair.first == best.run), key=lambda pair: pair.difference)
    assert confidence(closest) != "95 %"
    assert f"({confidence(closest)} interval " in in_words(chosen(many), in_short=True)


def test_tukey_brings_its_own_interval_and_no_correction(many):
    for pair in chosen(many, test="tukey").pairs:
        assert pair.corrected == pair.p
        assert (pair.low > 0) == (pair.p < 0.05)
        assert pair.high - pair.difference == pytest.approx(pair.difference - pair.low)


def test_by_a_measure_of_which_less_is_better_the_lower_mean_comes_first(ask, compute):
    differences = chosen(compute(ask(measures="E@2")), measure="E@2")
    assert differences.runs[0].means["E@2"].mean < differences.runs[1].means["E@2"].mean
    assert [pair.difference < 0 for pair in differences.pairs] == [True]
    assert differences.pairs[0].first == differences.runs[0].run


def test_words_say_what_can_be_told_apart_and_by_which_rule(many, report):
    best, *_ = chosen(many, test="tukey").runs
    beaten = sum(pair.first == best.run for pair in chosen(many, test="tukey").told_apart)
    assert 0 < beaten < 3
    expected = f"{best.name} is better than {beaten} of 3 others by AP (Tukey HSD, α = .05)."
    assert in_words(chosen(many, test="tukey")).startswith(expected)
    assert in_words(chosen(report)) == "The two runs cannot be told apart by AP (paired t test, Holm, α = .05)."


def test_a_best_mean_over_easier_topics_is_not_called_first_of_what_is_better(compute, collection, researcher):
    """On ten topics `whole` finds the relevant document before `part`; on ten more, which `part` lacks, it finds it late."""
    documents = [f"d{number}" for number in range(20)]
    graded = frame([(str(topic), docno, int(docno == "d0")) for topic in range(20) for docno in documents], "grade")
    judged = store_qrels(graded, collection=collection, name="one", by=researcher, source_name="one.qrels")
    ranks = {
        "part": {topic: 2 + topic % 2 for topic in range(10)},
        "whole": {topic: 1 + topic % 2 if topic < 10 else 20 for topic in range(20)},
    }
    runs = []
    for name, places in ranks.items():
        rows = [(str(topic), docno, -number) for topic, place in places.items() for number, docno in listed(documents, place)]
        run = frame(rows, "score")
        runs.append(store_run(run, collection=collection, name=name, by=researcher, source_name=f"{name}.txt"))
    report = compute(request_report(collection=collection, runs=runs, qrels=[judged], measures="AP", by=researcher))
    differences = chosen(report)
    assert differences.runs[0].name == "part"
    assert in_words(differences).startswith(
        "part has the best mean over its own topics, but on the 10 topics that all runs have, whole is better by AP (paired t"
    )
    assert "on the 10 topics that all runs have, whole is better than part." in in_words(differences, in_short=True)


def frame(rows, value):
    return pl.DataFrame(rows, schema=["topic", "docno", value], orient="row")


def listed(documents, place):
    """The first document at that place among the others, numbered."""
    first, *others = documents
    return enumerate([*others[: place - 1], first, *others[place - 1 :]])


def test_the_matrix_marks_what_is_told_apart_with_a_sign_and_a_word(page, many):
    content = page("?measure=AP").split('id="matrix"')[1].split("</section>")[0]
    told_apart = len(chosen(many).told_apart)
    assert len(re.findall(r'<strong>\+0\.\d{4} <span role="img" aria-label="better">▲</span></strong>', content)) == told_apart
    assert len(re.findall(r'<strong>−0\.\d{4} <span role="img" aria-label="worse">▼</span></strong>', content)) == told_apart
    assert re.search(r'title="good minus bad: corrected p [<\d. ]+, p [<\d. ]+, n = 30"', content)


def test_the_matrix_begins_with_the_best_runs_and_leads_to_all(page, monkeypatch):
    monkeypatch.setattr("metrics.views.differences.MOST_AT_FIRST", 3)
    assert "Best 3 of 4 runs" in page()
    assert page().split('id="matrix"')[1].split("</table>")[0].count('<th scope="row"') == 3
    assert page("?runs=all").split('id="matrix"')[1].split("</table>")[0].count('<th scope="row"') == 4


def test_pairs_are_sorted_by_p_or_as_asked(page, many):
    def first_rows(content):
        rows = content.split('id="pairs"')[1].split("<tbody>")[1].split("</tbody>")[0]
        return re.findall(r'#pair">(\w+)</a></th><td class="nowrap">(\w+)', rows)

    names = ids(many)
    by_p = sorted(chosen(many).pairs, key=lambda pair: pair.p)
    assert [(names[a], names[b]) for a, b in first_rows(page("?measure=AP"))] == [(pair.first, pair.second) for pair in by_p]
    falling = first_rows(page("?measure=AP&sort=-difference"))
    assert [(names[a], names[b]) for a, b in falling] == [(pair.first, pair.second) for pair in chosen(many).pairs]


def test_both_columns_of_runs_are_set_like_names_and_rise_at_the_first_click(page):
    heads = re.findall(r'<th scope="col"([^>]*)><a class="sort" href="\?([^#"]*)#pairs">', page().split('id="pairs"')[1])
    assert [(' class="num"' in attributes, query) for attributes, query in heads[:3]] == [
        (False, "sort=first"), (False, "sort=second"), (True, "sort=-n")
    ]  # fmt: skip


def test_no_detectable_difference_is_beyond_what_the_measure_can_differ_by(page, report, rita, many):
    few = html.unescape(rita.get(f"/reports/{report.pk}/differences/?measure=RR").content.decode())
    assert '<dt>Smallest detectable</dt><dd class="value">None</dd>' in few
    assert "2 topics cannot show any difference in RR, however large" in few
    shown = float(re.search(r'Smallest detectable</dt><dd class="value">([\d.]+)</dd>', page("?measure=AP"))[1])
    assert 0 < shown <= 1


def test_intervals_over_few_topics_are_said_to_be_perhaps_too_narrow(rita, report, page):
    for test, enough in (("t", 10), ("tukey", 25)):
        few = html.unescape(rita.get(f"/reports/{report.pk}/differences/?measure=AP&test={test}").content.decode())
        assert f"With 2 topics intervals may be too narrow: {enough} are needed." in few
        assert "too narrow" not in page(f"?test={test}")  # of thirty topics


@pytest.mark.parametrize("answer", [ValueError("even 1 would not do"), float("nan"), float("inf"), 1.01])
def test_whatever_the_engine_says_of_too_few_topics_none_can_be_detected(many, monkeypatch, answer):
    def smallest(*args, **kwargs):
        if isinstance(answer, ValueError):
            raise answer
        return answer

    monkeypatch.setattr("metrics.kinds.runs.topic_duel.smallest_difference", smallest)
    best, other, *_ = chosen(many).runs
    assert duel(chosen(many), best.run, other.run).smallest is None


def test_a_pair_is_found_in_either_order(many):
    differences = chosen(many)
    for pair in differences.pairs:
        assert differences.between(pair.first, pair.second) == pair
        assert differences.between(pair.second, pair.first) == pair.turned()
    assert differences.between(pair.first, pair.first) is differences.between(pair.first, 0) is None


def test_of_a_ratio_of_two_means_wins_are_by_the_topics_own_values(many, compute):
    qrels, runs = [part.qrels for part in many.parts.all()][:1], Run.objects.filter(collection=many.collection)
    name = "nDCG(average='micro')@10"
    question = {"collection": many.collection, "runs": runs, "qrels": qrels, "measures": name, "by": many.created_by}
    report = compute(request_report(**question))
    differences, by_name = chosen(report, measure=name), per_topic(report, name)
    pair = differences.between(ids(report)["fair"], ids(report)["good"])
    told, own = duel(differences, pair.first, pair.second), by_name["fair"] - by_name["good"]
    assert [value for _, value in told.differences] == pytest.approx(sorted(own, reverse=True))
    assert (told.wins, told.losses) == ((own > 0).sum(), (own < 0).sum())
    assert np.mean(told.terms) == pytest.approx(pair.difference) != pytest.approx(own.mean())
    assert told.deviation == pytest.approx(np.std(told.terms, ddof=1)) != pytest.approx(own.std(ddof=1))


def test_one_pair_is_shown_topic_by_topic(page, many):
    names = ids(many)
    content = page(f"?measure=AP&first={names['poor']}&second={names['good']}")
    difference = per_topic(many)["poor"] - per_topic(many)["good"]
    assert "poor against good" in content
    assert f"{(difference > 0).sum()} · {(difference == 0).sum()} · {(difference < 0).sum()}" in content
    figure = json.loads(re.search(r'<script id="pair-figure" type="application/json">(.*?)</script>', content)[1])
    assert figure["data"][0]["y"] == pytest.approx(sorted(difference, reverse=True))
    needed = topics_needed(0.05, difference.std(ddof=1), comparisons=6)
    assert re.search(rf'Topics needed</dt><dd class="value">{needed:,}</dd>', content)
    assert "to tell a difference of 0.05 in AP with power .8, α = .05 / 6 (shared out among the pairs)" in " ".join(
        content.split()
    )


def test_the_reader_says_which_difference_matters(page, many):
    names, difference = ids(many), per_topic(many)["poor"] - per_topic(many)["good"]
    address = f"?measure=AP&first={names['poor']}&second={names['good']}&correction=none&matters="
    needed = topics_needed(0.02, difference.std(ddof=1))
    assert f'<dd class="value">{needed:,}</dd>' in page(address + "0,02")
    assert "a difference of 0.05 in AP" in page(address + "-1")


def test_the_question_on_their_systems_says_which_difference_matters(page, many, researcher, collection):
    names = ids(many)
    systems = []
    for name in ("good", "poor"):
        system = System.objects.create(collection=collection, name=name, created_by=researcher)
        Run.objects.filter(pk=names[name]).update(version=Version.objects.create(system=system, name="1"))
        systems.append(system)
    expectations = {"experts": {"measure": "AP", "margin": 0.03}}
    hypothesis = ask_hypothesis(*systems, by=researcher, expectations=expectations)
    content = page(f"?measure=AP&first={names['poor']}&second={names['good']}")
    assert "a difference of 0.03 in AP" in content and f'href="/verdicts/{hypothesis.pk}/"' in content
    other = page(f"?measure=nDCG@10&first={names['poor']}&second={names['good']}")
    assert "a difference of 0.05 in nDCG@10" in other


def test_what_is_asked_in_vain_is_as_if_it_was_not_asked(page):
    selected = re.compile(r"<option[^>]* selected>([^<]*)")
    content = page("?measure=none&test=magic&correction=x&qrels=abc&first=1&second=99&sort=x")
    assert selected.findall(content) == selected.findall(page()) == ["nDCG@10", "paired t test", "Holm", "good", "fair"]


def test_one_run_has_nothing_to_differ_from(ask, compute, runs, rita):
    report = compute(ask(runs=runs[:1]))
    content = rita.get(f"/reports/{report.pk}/differences/").content.decode()
    assert "One run has nothing to differ from" in content
    assert f'href="/reports/new/?collection={report.collection_id}"' in content


def test_topics_that_not_every_run_counts_are_said_to_be_left_out(ask, compute, rita, runs, collection, researcher, report):
    import polars as pl

    from judging.collections.storage import store_run

    frame = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "score": [1.0]})
    partial = store_run(frame, collection=collection, name="partial", by=researcher, source_name="partial.txt")
    uneven = compute(ask(runs=[*runs, partial]))
    sentence = "Topics that not every run counts are left out."
    assert sentence in rita.get(f"/reports/{uneven.pk}/differences/").content.decode()
    assert sentence not in rita.get(f"/reports/{report.pk}/differences/").content.decode()


def test_a_test_that_was_left_out_says_so(ask, compute, rita, monkeypatch):
    monkeypatch.setattr("metrics.kinds.runs.contrasts.SECONDS", 0)
    report = compute(ask())
    content = html.unescape(rita.get(f"/reports/{report.pk}/differences/?test=tukey").content.decode())
    assert "The Tukey HSD was left out by this measure." in content
    assert "it would have taken too long" in content


def test_measures_that_were_left_out_say_so(ask, compute, rita, monkeypatch):
    monkeypatch.setattr("metrics.kinds.runs.contrasts.MOST_PAIRS", 0)
    monkeypatch.setattr("metrics.kinds.runs.differences.MOST_PAIRS", 0)
    report = compute(ask())
    assert "are too many pairs" in rita.get(f"/reports/{report.pk}/differences/").content.decode()


def test_the_file_has_every_pair_with_every_correction(many, rita):
    text = rita.get(f"/reports/{many.pk}/download/differences.csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 6
    for row in (row for row in rows if row["measure"] == "AP"):
        first, second = per_topic(many)[row["first"]], per_topic(many)[row["second"]]
        assert float(row["difference"]) == pytest.approx(np.mean(first - second))
        assert float(row["p_t"]) == pytest.approx(stats.ttest_rel(first, second).pvalue)
        assert float(row["p_t"]) <= float(row["p_t_bh"]) <= float(row["p_t_holm"])
    assert {row["qrels"] for row in rows} == {many.spec["qrels"][0]["name"]}
