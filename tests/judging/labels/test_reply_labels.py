"""Replies settled as qrels: of each question, of each subtopic, and what measures make of them."""

import io
import json
import math
from statistics import median

import polars as pl
import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

import ireval
from judging.collections.storage import qrels_frame
from judging.errors import Impossible
from judging.labels import exports, reply_labels, settlement
from judging.models import Question, Worker
from judging.work.exclusions import exclude
from tests.judging.labels.asked import FULL, launched, reply

pytestmark = pytest.mark.django_db


@pytest.fixture
def asking(study):
    return launched(study)


@pytest.fixture
def items(asking):
    """The items by docno, of topic 1: d1 and d2 of one run, d2 and d6 of the other."""
    chosen = asking.items.select_related("topic", "document").filter(topic__number="1")
    return {item.document.docno: item for item in chosen}


@pytest.fixture
def workers(asking, make_worker):
    return [make_worker(asking) for _ in range(2)]


def question(study, name):
    return reply_labels.question_of(study, name)


def test_each_question_has_qrels_of_its_own(asking, researcher, items, workers):
    for worker in workers:
        reply(worker, items["d1"], credible=1, use=2)
        reply(worker, items["d2"], credible=0)
    kept = {
        name: reply_labels.settle_as_qrels(asking, question(asking, name), by=researcher, method="majority")
        for name in ("credible", "use")
    }
    grades = settlement.settle_as_qrels(asking, by=researcher, method="majority")
    assert qrels_frame(kept["credible"]).select("docno", "grade").rows() == [("d1", 1), ("d2", 0)]
    assert qrels_frame(kept["use"]).select("docno", "grade").rows() == [("d1", 2)]
    assert {str(qrels.name) for qrels in [*kept.values(), grades]} == {"Bird study · credible", "Bird study · use", "Bird study"}
    again = reply_labels.settle_as_qrels(asking, question(asking, "credible"), by=researcher, method="majority")
    assert again == kept["credible"]
    assert settlement.settle_as_qrels(asking, by=researcher, method="majority") == grades


def test_subtopics_that_workers_judge_give_alpha_ndcg(asking, researcher, items, workers):
    """Two documents, the first about both subtopics, the second about the second alone; α is .5."""
    for worker in workers:
        reply(worker, items["d1"], facts={"1": 1, "2": 1})
        reply(worker, items["d2"], facts={"1": 0, "2": 1})
    frame = qrels_frame(reply_labels.settle_as_qrels(asking, question(asking, "facts"), by=researcher, method="majority"))
    assert frame.select("topic", "subtopic", "docno", "grade").rows() == [
        ("1", "1", "d1", 1), ("1", "1", "d2", 0), ("1", "2", "d1", 1), ("1", "2", "d2", 1),
    ]  # fmt: skip
    value = ireval.evaluate({"1": {"d2": 2.0, "d1": 1.0}}, frame, ["alpha_nDCG@2"]).means()
    gain, ideal = 1 + (1 + 0.5) / math.log2(3), 2 + 0.5 / math.log2(3)
    assert value["alpha_nDCG@2"] == pytest.approx(gain / ideal)


@given(st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("12"), st.sampled_from("ab"), st.integers(0, 2)), min_size=1))
def test_a_majority_by_subtopic_is_what_counting_gives(rows):
    votes = [(topic, subtopic, docno, worker, grade, False) for worker, (topic, subtopic, docno, grade) in enumerate(rows)]
    frame = pl.DataFrame(votes, schema=reply_labels.REPLIES, orient="row")
    asked = Question(name="q", text="?", kind="grades", options=["a", "b", "c"], by_subtopic=True)
    settled = reply_labels.grades_of(reply_labels.labelling_of(frame, asked, "majority"), asked)
    assert settled.select("topic", "subtopic", "docno").sort(pl.all()).rows() == sorted({row[:3] for row in votes})
    for topic, subtopic, docno, grade in settled.select("topic", "subtopic", "docno", "grade").iter_rows():
        given_here = [row[4] for row in votes if row[:3] == (topic, subtopic, docno)]
        most = max(map(given_here.count, given_here))
        tied = {value for value in given_here if given_here.count(value) == most}
        assert grade == int(median(tied) // 1)


def test_who_has_no_vote_has_none_on_questions(asking, researcher, items, workers):
    reply(workers[0], items["d1"], credible=1)
    reply(workers[1], items["d1"], credible=0)
    exclude(workers[1], standing=Worker.Standing.EXCLUDED, reason="guesses", by=researcher)
    assert reply_labels.votes(asking, question(asking, "credible"))["grade"].to_list() == [1]


def test_agreement_is_measured_for_each_question(asking, items, workers):
    for docno, (grade, other) in {"d1": (1, 1), "d2": (0, 0), "d6": (1, 0)}.items():
        reply(workers[0], items[docno], credible=grade)
        reply(workers[1], items[docno], credible=other)
    by_name = {result.question.name: result for result in reply_labels.question_results(asking)}
    credible = by_name["credible"]
    assert (credible.replies, credible.counts) == (6, [("No", 3), ("Yes", 3)])
    # Krippendorff: 2 disagreeing of 6 ordered pairs; 18 of 30 expected.
    assert credible.agreement.value == pytest.approx(1 - (2 / 6) / (18 / 30))
    assert by_name["use"].agreement is None


@pytest.mark.parametrize(("name", "method"), [("why", None), ("nobody", None), ("credible", "gold-weighted"), ("credible", "x")])
def test_what_cannot_be_settled_says_why(asking, researcher, items, workers, name, method):
    reply(workers[0], items["d1"])
    with pytest.raises(Impossible):
        reply_labels.settle_as_qrels(asking, question(asking, name), by=researcher, method=method)


def test_choices_are_settled_by_methods_that_know_no_order(asking):
    """Between two answers lies none: the middle of a tie would be an answer that nobody gave."""
    choice = Question(name="kind", text="?", kind="choice", options=["news", "blog", "shop"])
    assert reply_labels.methods_of(choice) == ["majority", "dawid-skene"]
    votes = [("1", "", "d1", worker, grade, False) for worker, grade in enumerate((0, 2))]
    labelling = reply_labels.labelling_of(pl.DataFrame(votes, schema=reply_labels.REPLIES, orient="row"), choice, "majority")
    assert labelling.frame["grade"].to_list() == [0]
    assert labelling.recipe()["ties settled on"] == "the lowest of the tied values"


def test_files_have_a_column_for_each_question(asking, items, workers):
    reply(workers[0], items["d1"], **FULL)
    rows = {form: exports.export(asking, "judgements", form).getvalue() for form in ("csv", "jsonl", "parquet")}
    record = json.loads(rows["jsonl"])
    facts = [{"subtopic": "1", "reply": 1}, {"subtopic": "2", "reply": 0}]
    assert [record[f"reply_{name}"] for name in ("credible", "use", "facts", "why")] == [1, 2, facts, "It says so."]
    assert pl.read_parquet(io.BytesIO(rows["parquet"]))["reply_facts"].to_list() == [facts]
    assert json.loads(pl.read_csv(rows["csv"])["reply_facts"].item()) == facts


def test_the_page_tells_what_was_replied_and_keeps_it(rita, asking, items, workers):
    address = reverse("study_questions", args=[asking.pk])
    assert "Nobody has replied yet" in rita.get(address).content.decode()
    for worker in workers:
        reply(worker, items["d1"], why="<b>Owls</b> eat voles")
    page = rita.get(address).content.decode()
    assert "&lt;b&gt;Owls&lt;/b&gt; eat voles" in page
    kept = rita.post(reverse("study_question_settle", args=[asking.pk, "credible"]), {"method": "majority"}, follow=True)
    assert "Kept as the qrels “Bird study · credible v1”: 1 grade, 1 topic." in kept.content.decode()
    assert "Bird study · credible v1" in rita.get(address).content.decode()
    qrels = rita.get(reverse("study_question_export", args=[asking.pk, "facts", "trec"]))
    assert qrels.content == b"1 1 d1 0\n1 2 d1 0\n"
    refused = rita.post(reverse("study_question_settle", args=[asking.pk, "why"]), follow=True)
    assert "cannot be settled" in refused.content.decode()


def test_the_page_of_qrels_calls_replies_by_their_words(rita, asking, researcher, items, workers):
    reply(workers[0], items["d1"], credible=1)
    qrels = reply_labels.settle_as_qrels(asking, question(asking, "credible"), by=researcher)
    assert "<kbd>1</kbd> Yes" in rita.get(reverse("qrels", args=[qrels.pk])).content.decode()


def test_the_api_tells_and_settles_them(rita, asking, items, workers):
    reply(workers[0], items["d1"])
    address = f"/api/v1/studies/{asking.pk}/"
    told = {row["question"]["name"]: row for row in rita.get(f"{address}questions/").json()}
    assert told["credible"]["counts"] == [{"label": "No", "replies": 0}, {"label": "Yes", "replies": 1}]
    assert told["facts"]["replies"] == 2
    kept = rita.post(f"{address}settle/", {"question": "facts"}, "application/json")
    assert (kept.status_code, kept.json()["name"]) == (201, "Bird study · facts")
    assert rita.post(f"{address}settle/", {"question": "why"}, "application/json").status_code == 409
    assert rita.get(f"{address}judgements/").json()["results"][0]["replies"]["facts"] == {"1": 0, "2": 0}
