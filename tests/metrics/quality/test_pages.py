"""The pages on a study's quality: what they show, and what they say where there is nothing to show."""

import io
import json
import re

import polars as pl
import pytest
from django.urls import reverse
from django.utils.html import escape

from ireval.cli.main import main
from judging.labels import exports
from judging.models import AuditEntry, Item, Outbox
from judging.studies.wanted_votes import set_votes
from judging.work import exclusions
from judging.work.checks import designate
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.quality.results import coefficients
from metrics.kinds.quality.words import in_one_sentence
from metrics.kinds.studies import part, request_study_report
from metrics.models import Report
from tests.metrics.quality.conftest import answer
from tests.visible_words import expect_the_answer_first

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def page(browser, study, name="study_quality", query="", **headers):
    response = browser.get(reverse(name, args=[study.pk]) + query, **headers)
    assert response.status_code == 200
    return response.content.decode()


def by_the_command_line(study, tmp_path, capsys, *options) -> dict:
    """What `python -m ireval agreement` says of the study's exported judgements."""
    path = tmp_path / "judgements.csv"
    path.write_bytes(exports.export(study, "judgements", "csv").getvalue())
    main(["agreement", str(path), "--level", "ordinal", "--format", "json", *options])
    return json.loads(capsys.readouterr().out)


def test_the_numbers_are_those_of_the_command_line_on_the_exported_judgements(rita, crowd, report, tmp_path, capsys):
    expected = {coefficient["name"]: coefficient for coefficient in by_the_command_line(crowd, tmp_path, capsys)["agreement"]}
    by_name = {coefficient.name: coefficient for coefficient in coefficients(report)}
    shown = page(rita, crowd)
    for ours, theirs in {"percent": "percent", "fleiss": "fleiss", "alpha-ordinal": "alpha"}.items():
        for number in ("value", "low", "high"):
            assert getattr(by_name[ours], number) == pytest.approx(expected[theirs][number])
            assert f"{expected[theirs][number]:.3f}" in shown
        assert (by_name[ours].items, by_name[ours].labels) == (6, 18)


def test_agreement_stands_on_a_scale_with_names(rita, crowd, report):
    shown = page(rita, crowd)
    defined = [
        coefficient for coefficient in coefficients(report) if coefficient.value is not None and coefficient.name != "percent"
    ]
    assert len(defined) > 1
    for coefficient in defined:
        name = "good" if coefficient.value >= 0.8 else "fair" if coefficient.value >= 0.667 else "weak"
        assert re.search(rf'aria-label="[^"]+: [−]?{abs(coefficient.value):.3f}, {name}"', shown)


def test_topics_are_drawn_and_few_of_them_are_told(rita, crowd, report):
    drawn = {coefficient.topics for coefficient in coefficients(report) if not coefficient.undefined}
    assert drawn == {crowd.items.values("topic").distinct().count()}
    shown = page(rita, crowd)
    few = f"With {drawn.pop()} topics the interval may be too narrow: 30 are needed."
    assert shown.count(few) == 2  # among the cautions, and in the method
    assert "topics drawn again 1,000 times" in shown


def test_of_two_workers_cohens_kappa_is_that_of_the_command_line(crowd, compute, tmp_path, capsys):
    """What the excluded one has judged stays in the export and has no vote."""
    excluded = crowd.workers.last()
    exclusions.exclude(excluded, reason="x")
    report = compute(request_study_report(QUALITY, crowd))
    rows = exports.judgement_rows(crowd).filter(pl.col("worker") != str(excluded))
    rows.drop("passages").write_csv(tmp_path / "two.csv")
    main(["agreement", str(tmp_path / "two.csv"), "--level", "ordinal", "--format", "json", "--values", "0,1,2,3"])
    expected = {coefficient["name"]: coefficient for coefficient in json.loads(capsys.readouterr().out)["agreement"]}
    by_name = {coefficient.name: coefficient for coefficient in coefficients(report)}
    for name in ("cohen", "cohen-quadratic"):
        assert (by_name[name].value, by_name[name].low) == (pytest.approx(expected[name]["value"]), expected[name]["low"])


def test_items_are_those_of_the_command_line(rita, crowd, report, tmp_path, capsys):
    rows = by_the_command_line(crowd, tmp_path, capsys, "--by", "item")["rows"]
    expected = {row["item"]: (row["n"], row["agreement"], row["entropy"]) for row in rows}
    content = rita.get(reverse("study_quality_download", args=[crowd.pk, "items.csv"])).content
    table = pl.read_csv(content, schema_overrides={"topic": pl.String})
    assert {f"{row['topic']} {row['docno']}": (row["n"], row["agreement"], row["entropy"]) for row in table.to_dicts()} == {
        item: (n, pytest.approx(agreement), pytest.approx(entropy)) for item, (n, agreement, entropy) in expected.items()
    }
    assert table.filter(docno="d2").select("^grade .*$").row(0) == (1, 0, 1, 1)


def test_the_most_doubtful_item_comes_first_with_its_votes_and_rows(rita, crowd, report):
    shown = page(rita, crowd)
    doubtful = crowd.items.get(document__docno="d2")
    assert shown.index("?item=") == shown.index(f"?item={doubtful.pk}")
    assert "1 × <kbd>0</kbd>, 1 × <kbd>2</kbd>, 1 × <kbd>3</kbd>" in shown
    judgements = page(rita, crowd, "study_judgements", f"?item={doubtful.pk}")
    assert "Only those of d2 for topic 1, diet of owls" in judgements
    assert judgements.count('<th scope="row"') == 3


def test_judgements_of_an_item_and_a_worker(rita, crowd):
    item, worker = crowd.items.first(), crowd.workers.first()
    assert page(rita, crowd, "study_judgements", f"?item={item.pk}&worker={worker.pk}").count('<th scope="row"') == 1
    assert page(rita, crowd, "study_judgements", "?item=²").count('<th scope="row"') == 18


def test_items_sort_page_and_filter(rita, crowd, report, monkeypatch):
    order = re.compile(r'\?item=(\d+)"')
    documents = {str(item.pk): item.document.docno for item in crowd.items.select_related("document")}

    def shown(query):
        return [documents[key] for key in order.findall(page(rita, crowd, "study_quality_items", query))]

    assert shown("")[:2] == ["d2", "d5"]  # 0, 2, 3 and 0, 1, 3: of topic 1 and of topic 2
    assert shown("?sort=docno") == ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert shown("?sort=-docno")[0] == "d6"
    assert shown("?sort=agreement")[-2:] == ["d1", "d3"]
    assert set(shown("?topic=2")) == {"d3", "d4", "d5"}
    assert "No such items" in page(rita, crowd, "study_quality_items", "?topic=99")
    monkeypatch.setattr("metrics.views.frames.A_PAGE", 4)
    assert len(shown("")) == 4
    assert len(shown("?page=2")) == 2
    assert shown("?sort=nonsense;--") == shown("")


def test_a_formula_in_a_name_of_a_document_stays_text_in_a_spreadsheet(rita, crowd, compute):
    crowd.collection.documents.filter(docno="d2").update(docno="=cmd()")
    compute(request_study_report(QUALITY, crowd))
    content = rita.get(reverse("study_quality_download", args=[crowd.pk, "items.csv"])).content.decode()
    assert ",=cmd()" not in content
    assert "'=cmd()" in content


def test_the_first_is_asked_for_by_whoever_opens_the_page(rita, crowd):
    shown = page(rita, crowd)
    assert 'id="report-progress"' in shown
    assert 'hx-trigger="every 1s"' in shown
    page(rita, crowd)
    assert Report.objects.count() == Outbox.objects.filter(task="metrics.tasks.begin_report").count() == 1


def test_who_waits_sees_progress_and_then_the_page(rita, crowd, compute):
    page(rita, crowd)
    waiting = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "report-progress"}
    shown = page(rita, crowd, **waiting)
    assert "<h1" not in shown
    assert "Waiting to be computed" in shown
    compute(Report.objects.get())
    assert rita.get(reverse("study_quality", args=[crowd.pk]), **waiting)["HX-Refresh"] == "true"
    assert "report-progress" not in page(rita, crowd)


def test_it_says_what_has_come_since_and_offers_to_compute_again(rita, crowd, report, compute):
    assert "nothing has changed since" in page(rita, crowd)
    assert "Compute again" not in page(rita, crowd)
    answer(crowd.workers.first(), crowd.items.first(), 1)
    assert "1 judgement since" in page(rita, crowd)
    assert Report.objects.count() == 1  # only the first comes by itself
    again = rita.post(reverse("study_quality_again", args=[crowd.pk]), follow=True).content.decode()
    assert 'id="report-progress"' in again
    assert "1 judgement since" in again  # the earlier one stays until the other is there
    assert "Compute again" not in again
    compute(request_study_report(QUALITY, crowd))
    assert "nothing has changed since" in page(rita, crowd)


def test_an_exclusion_makes_it_out_of_date(rita, crowd, report):
    exclusions.exclude(crowd.workers.first(), reason="x")
    shown = page(rita, crowd)
    assert "who is excluded, how many judge an item, checks or rules have changed since" in shown
    assert "Compute again" in shown


def test_another_number_of_votes_makes_it_out_of_date(rita, crowd, report):
    set_votes(crowd, crowd.items.values_list("pk", flat=True), crowd.overlap + 1)
    assert "who is excluded, how many judge an item, checks or rules have changed since" in page(rita, crowd)
    set_votes(crowd, crowd.items.values_list("pk", flat=True), crowd.overlap)
    assert "nothing has changed since" in page(rita, crowd)


def test_a_failed_one_says_why_and_can_be_tried_again(rita, crowd):
    request_study_report(QUALITY, crowd)
    Report.objects.update(state="failed", error="The disk is full.")
    shown = page(rita, crowd)
    assert "The disk is full." in shown
    assert "Try again" in shown
    assert 'id="report-progress"' not in shown
    rita.post(reverse("study_quality_again", args=[crowd.pk]))
    assert 'id="report-progress"' in page(rita, crowd)


def test_nobody_has_judged(rita, running, study):
    assert "Nobody has judged yet" in page(rita, running)
    assert not Report.objects.exists()


def test_one_vote_an_item_measures_no_agreement_and_says_what_to_do(rita, study, make_worker, compute):
    from judging.studies.launch import launch

    study.overlap = 1
    study.save()
    launch(study, seed=1)
    workers = [make_worker(study), make_worker(study)]
    for place, item in enumerate(study.items.all()):
        answer(workers[place % 2], item, 2)
    compute(request_study_report(QUALITY, study))
    shown = page(rita, study)
    assert "Agreement cannot be measured yet" in shown
    assert "Order two or more judgements per item" in shown
    assert reverse("study_checks", args=[study.pk]) in shown
    assert "<h2>How far workers agree</h2>" not in shown
    assert "No item has votes that differ." in shown


def test_nothing_has_a_vote(rita, crowd, compute):
    for worker in crowd.workers.all():
        exclusions.exclude(worker, reason="x")
    compute(request_study_report(QUALITY, crowd))
    assert "No judgement has a vote" in page(rita, crowd)
    assert "No item has a vote" in page(rita, crowd, "study_quality_items")
    assert rita.get(reverse("study_quality_download", args=[crowd.pk, "items.csv"])).content.startswith(b"item,topic,docno")


def test_refused_coefficients_say_why(rita, crowd, report, compute, make_worker):
    item = crowd.items.first()
    designate([item], Item.Role.GOLD, right=[3])
    exclusions.exclude(crowd.workers.last(), reason="x")
    answer(make_worker(crowd), crowd.items.last(), 2)
    compute(request_study_report(QUALITY, crowd))
    shown = page(rita, crowd)
    assert "Undefined because no two workers have 10 items in common." in shown
    assert "and it needs the same number everywhere." in shown


def test_simulated_votes_are_told(rita, crowd, compute):
    crowd.workers.update(simulated=True)
    compute(request_study_report(QUALITY, crowd))
    assert "18 of 18 votes are simulated" in page(rita, crowd)
    assert "18 of 18 votes are simulated" in page(rita, crowd, "study_systems")


def test_everything_as_json(rita, crowd, report):
    content = rita.get(reverse("study_quality_download", args=[crowd.pk, "quality.json"])).content
    summary = json.load(io.BytesIO(content))
    assert summary["evidence"]["judgements"] == 18
    assert [len(summary["by_item"]), len(summary["by_worker"])] == [6, 3]
    assert summary["by_worker"][0]["worker"] == str(crowd.workers.first())
    assert summary["agreement"]["votes"] == 18
    assert AuditEntry.objects.get(deed="exported").about == "quality, quality.json"


@pytest.mark.parametrize("name", ["study_quality", "study_quality_items", "study_quality_workers"])
def test_strangers_find_nothing(client, crowd, report, stranger, name):
    client.force_login(stranger)
    assert client.get(reverse(name, args=[crowd.pk])).status_code == 404
    assert client.post(reverse("study_quality_again", args=[crowd.pk])).status_code == 404
    for kind in ("items.csv", "workers.csv", "quality.json"):
        assert client.get(reverse("study_quality_download", args=[crowd.pk, kind])).status_code == 404


def test_without_a_report_there_is_nothing_to_download(rita, crowd, report):
    assert rita.get(reverse("study_quality_download", args=[crowd.pk, "x.csv"])).status_code == 404
    report.delete()
    assert rita.get(reverse("study_quality_items", args=[crowd.pk]))["Location"] == reverse("study_quality", args=[crowd.pk])
    assert rita.get(reverse("study_quality_download", args=[crowd.pk, "items.csv"])).status_code == 404


def test_one_that_was_sent_again_says_so(rita, crowd):
    request_study_report(QUALITY, crowd)
    Report.objects.update(resent=1)
    assert "the work was sent out again" in page(rita, crowd)


def test_the_page_opens_with_the_answer(rita, crowd, report):
    shown = page(rita, crowd)
    expect_the_answer_first(shown)
    assert escape(in_one_sentence(part(report, "agreement"))) in shown
