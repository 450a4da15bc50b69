"""Four real rankings, each fit to be imported, that visibly differ. The oracle is trec_eval, by way of pytrec_eval."""

from collections import defaultdict
from itertools import combinations, pairwise

import pytest
import pytrec_eval


def by_topic(run):
    topics: dict[str, dict[str, float]] = defaultdict(dict)
    for topic, docno, score in run.rows:
        topics[topic][docno] = score
    return dict(topics)


@pytest.fixture(scope="module")
def ndcg(demo):
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, docno, grade in demo.qrels.rows:
        qrels[topic][docno] = grade
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10"})
    values = {run.name: [value["ndcg_cut_10"] for value in evaluator.evaluate(by_topic(run)).values()] for run in demo.runs}
    assert {len(each) for each in values.values()} == {50}
    return {name: sum(each) / len(each) for name, each in values.items()}


def test_each_is_named_and_described(demo):
    assert [run.name for run in demo.runs] == ["bm25-words", "bm25-4grams", "bm25-title", "tfidf-words"]
    assert all("BM25" in run.description for run in demo.runs)


def test_every_topic_has_a_ranking_of_known_documents(demo):
    docnos = {document.docno for document in demo.documents}
    for run in demo.runs:
        assert list(by_topic(run)) == [topic.number for topic in demo.topics], run.name
        assert {docno for _, docno, _ in run.rows} <= docnos, run.name


def test_rankings_have_no_duplicates_and_are_in_the_evaluators_order(demo):
    for run in demo.runs:
        for topic, ranking in by_topic(run).items():
            rows = [(score, docno) for name, docno, score in run.rows if name == topic]
            assert len(rows) == len(ranking) <= 100, (run.name, topic)
            assert all(better > worse for better, worse in pairwise(rows)), (run.name, topic)
            assert rows[-1][0] > 0, (run.name, topic)


def test_scores_survive_being_written_to_a_file(demo):
    assert all(float(f"{score:.4f}") == score for run in demo.runs for _, _, score in run.rows)


def test_they_agree_on_fewer_than_six_of_the_first_ten(demo):
    tops = {run.name: {topic: set(list(ranking)[:10]) for topic, ranking in by_topic(run).items()} for run in demo.runs}
    for top, other in combinations(tops.values(), 2):
        assert sum(len(top[topic] & other[topic]) for topic in top) / len(top) < 6


def test_they_find_what_mitre_mapped_some_clearly_better_than_others(ndcg):
    assert ndcg["bm25-4grams"] > ndcg["bm25-words"] > ndcg["bm25-title"] > ndcg["tfidf-words"] > 0.25
    assert ndcg["bm25-4grams"] - ndcg["tfidf-words"] > 0.1
