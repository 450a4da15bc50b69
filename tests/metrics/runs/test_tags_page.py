"""The page on results by kind of topic: means and differences over the topics of each tag, from what the report has stored."""

import csv
import html
import io
import json
import re
from urllib.parse import urlencode

import numpy as np
import polars as pl
import pytest
from django.http import QueryDict
from scipy import stats

from judging.collections.storage import run_frame, store_run
from judging.models import Topic
from metrics.kinds.runs import tags
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.question import request_report
from metrics.kinds.runs.results import values
from metrics.kinds.runs.tag_figures import MOST_DRAWN
from tests import conftest, sharing
from tests.metrics import conftest as reports

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("many"), pytest.mark.one_database]
db = sharing.db
researcher, collection = map(sharing.once, (conftest.researcher, conftest.collection))
compute, many = map(sharing.once, (reports.compute, reports.many))

TAGS = {"even": range(2, 31, 2), "by three": range(3, 31, 3), "lonely": [7], "two": [8, 16], "<b>&": [5, 10, 15]}


@pytest.fixture
def tagged(many):
    """The report, its topics tagged by arithmetic; a tag of a topic that it does not count is among them."""
    for number in range(1, 100):
        of_topic = [tag for tag, numbers in TAGS.items() if number in numbers] + (["elsewhere"] if number > 30 else [])
        Topic.objects.update_or_create(collection=many.collection, number=str(number), defaults={"title": "q", "tags": of_topic})
    return many


@pytest.fixture
def page(rita):
    def page(report, query=""):
        answer = rita.get(f"/reports/{report.pk}/tags/{query}")
        assert answer.status_code == 200
        return answer.content.decode()

    return page


def by_topic(report, measure, tag) -> dict[str, np.ndarray]:
    """The stored values of each run on a tag's topics, read beside the code under test."""
    numbers, columns = set(map(str, TAGS[tag])), {}
    for run in report.spec["runs"]:
        stored = values(report, qrels=report.spec["qrels"][0]["id"], run=run["id"]).select("topic", measure)
        columns[run["name"]] = np.array([value for topic, value in sorted(stored.iter_rows()) if topic in numbers])
    return columns


def choice(report, query="") -> Choice:
    return Choice.read(QueryDict(query), report)


def means(report, query="") -> dict:
    return {(line.tag, line.name): line for line in tags.means(choice(report, query), tags.topics_by_tag(report))}


@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_means_and_their_intervals_are_students_over_the_topics_of_the_tag(tagged, measure):
    lines = means(tagged, f"measure={measure}")
    assert {tag for tag, _ in lines} == set(TAGS)
    for (tag, run), line in lines.items():
        sample = by_topic(tagged, measure, tag)[run]
        assert (line.n, line.estimate.mean) == (len(TAGS[tag]), pytest.approx(sample.mean()))
        if len(sample) == 1:
            assert (line.estimate.low, line.estimate.high, line.interval) == (None, None, "–")
            continue
        low, high = sample.mean() + stats.t.ppf([0.025, 0.975], len(sample) - 1) * stats.sem(sample)
        assert line.estimate.low == pytest.approx(max(low, 0))
        assert line.estimate.high == pytest.approx(min(high, 1))


def test_differences_are_scipys_over_the_topics_of_the_tag(tagged):
    chosen = choice(tagged, "measure=AP")
    first, second = chosen.outcomes[0], chosen.outcomes[2]
    lines = tags.differences(chosen, first, second, tags.topics_by_tag(tagged))
    assert [(line.tag, line.n) for line in lines] == [("even", 15), ("by three", 10), ("<b>&", 3), ("two", 2), ("lonely", 1)]
    for line in lines:
        columns = by_topic(tagged, "AP", line.tag)
        apart = columns[first.name] - columns[second.name]
        assert line.estimate.mean == pytest.approx(apart.mean())
        if len(apart) == 1:
            assert line.estimate.low is None and line.estimate.high is None
            continue
        low, high = stats.ttest_rel(columns[first.name], columns[second.name]).confidence_interval(0.95)
        assert (line.estimate.low, line.estimate.high) == (pytest.approx(max(low, -1)), pytest.approx(min(high, 1)))


def test_a_ratio_of_averages_is_one_of_the_tags_topics(tagged, compute, researcher):
    question = {"collection": tagged.collection, "by": researcher, "measures": "nDCG(average='micro')@10 IDCG@10 DCG@10"}
    parts = tagged.parts.select_related("run", "qrels")
    micro = compute(request_report(runs=[part.run for part in parts][:2], qrels=[parts[0].qrels], **question))
    lines = means(micro)
    for run in micro.spec["runs"]:
        gains, ideals = by_topic(micro, "DCG@10", "even")[run["name"]], by_topic(micro, "IDCG@10", "even")[run["name"]]
        assert lines["even", run["name"]].estimate.mean == pytest.approx(gains.sum() / ideals.sum())
    first, second = choice(micro).outcomes
    (even, *_) = tags.differences(choice(micro), first, second, tags.topics_by_tag(micro))
    assert even.estimate.mean == pytest.approx(lines["even", first.name].estimate.mean - lines["even", second.name].estimate.mean)


def rows(content, name):
    table = content.split(f'aria-label="{name}"')[1].split("</table>")[0].split("<tbody>")[1]
    return [
        [html.unescape(re.sub(r"<[^>]+>", "", cell)).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in table.split("</tr>")[:-1]
    ]


def figure(content, name):
    return json.loads(content.split(f'id="{name}-figure" type="application/json">')[1].split("</script>")[0])


def test_the_page_shows_them_with_their_number_of_topics(page, tagged):
    content = page(tagged, "?measure=AP")
    shown = rows(content, "AP")
    lines = means(tagged, "measure=AP")
    assert shown == [[line.tag, line.name, str(line.n), line.number, line.interval] for line in lines.values()]
    assert shown[0][:3] == ["even", "good", "15"] and len(shown) == 5 * 4
    assert "Tags as they are now." in content
    assert f'href="/collections/{tagged.collection_id}/topics/?tag=%3Cb%3E%26"' in content


def test_the_two_that_the_reader_chose_are_compared_without_a_verdict(page, tagged):
    ids = {run["name"]: run["id"] for run in tagged.spec["runs"]}
    content = page(tagged, f"?measure=AP&first={ids['bad']}&second={ids['good']}")
    section = content.split('id="difference"')[1].split("</main>")[0]
    assert "bad against good" in section and "Exploratory" in section
    assert "better" not in section and "p =" not in section and "significan" not in section
    name = "AP of bad minus that of good"
    by_tag = {row[0]: row for row in rows(content, name)}
    columns = by_topic(tagged, "AP", "even")
    assert by_tag["even"][2] == f"{(columns['bad'] - columns['good']).mean():+.4f}".replace("-", "−")
    assert by_tag["lonely"][3] == "–"


def test_few_topics_are_said(page, tagged):
    content = page(tagged)
    assert "“even”, “by three” and 2 others: intervals may be too narrow, 50 topics are needed." in content
    assert "“&lt;b&gt;&amp;” and “two”: intervals may be too narrow, 10 topics are needed." in content


def test_figures_draw_what_the_tables_say(page, tagged):
    content = page(tagged, "?measure=AP")
    drawn = {trace["name"]: trace["x"] for trace in figure(content, "means")["data"]}
    lines = means(tagged, "measure=AP")
    assert drawn == {
        run["name"]: [lines[tag, run["name"]].estimate.mean for tag in tags.topics_by_tag(tagged) if tag != "elsewhere"]
        for run in tagged.spec["runs"]
    }
    (trace,) = figure(content, "differences")["data"]
    assert len(trace["x"]) == len(TAGS)


def test_only_so_many_are_drawn_and_all_are_listed(page, tagged):
    Topic.objects.filter(collection=tagged.collection, number="1").update(tags=[f"t{n}" for n in range(30)])
    content = page(tagged)
    ticks = json.loads(content.split('id="means-figure" type="application/json">')[1].split("<")[0])["layout"]["yaxis"][
        "ticktext"
    ]
    assert len(ticks) == MOST_DRAWN and ticks[:2] == ["even", "by three"]
    assert len(rows(content, "nDCG@10")) == (5 + 30) * 4


def test_a_run_that_counts_no_topic_of_a_tag_has_no_number_there(page, tagged, compute, researcher):
    part = tagged.parts.select_related("run", "qrels")[0]
    short = run_frame(part.run).filter(pl.col("topic").is_in(["2", "4"])).select("topic", "docno", "score")
    few = store_run(short, collection=tagged.collection, name="few", by=researcher)
    question = {"collection": tagged.collection, "by": researcher, "measures": "AP"}
    content = page(compute(request_report(runs=[part.run, few], qrels=[part.qrels], **question)))
    by_line = {(tag, run): (n, mean, interval) for tag, run, n, mean, interval in rows(content, "AP")}
    assert by_line["even", "few"][0] == "2" and by_line["by three", "few"] == ("0", "–", "–")
    assert by_line["by three", part.run.name][0] == "10"
    assert [len(trace["x"]) for trace in figure(content, "means")["data"]] == [1, 1]
    assert figure(content, "means")["layout"]["yaxis"]["ticktext"] == ["even"]
    (differences,) = re.findall(r'aria-label="(AP of .*?)"', content)
    assert [row[:2] for row in rows(content, differences)] == [["even", "2"]]


def test_tags_are_read_anew_and_nothing_is_computed_again(page, tagged, monkeypatch):
    def fail(*args, **options):
        raise AssertionError("computed again")

    monkeypatch.setattr("metrics.kinds.runs.values.evaluate", fail)
    kept = (tagged.digest, tagged.result, tagged.tables.count())
    assert [row[0] for row in rows(page(tagged), "nDCG@10")][:4] == ["even"] * 4
    Topic.objects.filter(number__in=["1", "3"]).update(tags=["odd"])
    assert ["odd", "good", "2"] in [row[:3] for row in rows(page(tagged), "nDCG@10")]
    tagged.refresh_from_db()
    assert kept == (tagged.digest, tagged.result, tagged.tables.count())


def test_without_tags_the_page_says_what_to_do(page, many):
    content = page(many)
    assert "No topic here has a tag" in content and f'href="/collections/{many.collection_id}/topics/"' in content
    assert "tags.csv" not in content and "Exploratory" not in content


@pytest.mark.parametrize("measures", ["NumRel", "gm_map"])
def test_measures_that_compare_nothing_topic_by_topic_have_means_and_no_differences(page, tagged, compute, researcher, measures):
    parts = tagged.parts.select_related("run", "qrels")
    question = {"collection": tagged.collection, "by": researcher, "measures": measures}
    content = page(compute(request_report(runs=[part.run for part in parts], qrels=[parts[0].qrels], **question)))
    assert "Exploratory" not in content and "means-figure" in content and "too narrow" not in content


def test_one_run_has_means_and_no_differences(page, tagged, compute, researcher):
    part = tagged.parts.first()
    content = page(compute(request_report(collection=tagged.collection, runs=[part.run], qrels=[part.qrels], by=researcher)))
    assert "means-figure" in content and "Exploratory" not in content


def test_the_file_has_every_measure(rita, tagged):
    answer = rita.get(f"/reports/{tagged.pk}/download/tags.csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    lines = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert len(lines) == 5 * 4 and set(lines[0]) >= {"qrels", "tag", "run", "topics", "AP", "AP low", "nDCG@10 high"}
    expected = {measure: means(tagged, f"measure={measure}") for measure in ("AP", "nDCG@10")}
    for row in lines:
        for measure, by_tag in expected.items():
            line = by_tag[row["tag"], row["run"]]
            assert (int(row["topics"]), float(row[measure])) == (line.n, line.estimate.mean)
            assert row[f"{measure} low"] == ("" if line.estimate.low is None else str(line.estimate.low))


def test_marks_lead_to_the_topics_of_their_tag(tagged, client, researcher):
    client.force_login(researcher)
    content = client.get(f"/reports/{tagged.pk}/tags/").content.decode()
    figure = json.loads(re.search(r'<script id="means-figure" type="application/json">(.*?)</script>', content)[1])
    for trace in figure["data"]:
        for (name, _), address in zip(trace["customdata"], trace["meta"]["addresses"], strict=True):
            assert address == f"/collections/{tagged.collection_id}/topics/?{urlencode({'tag': name.rpartition(', n')[0]})}"
