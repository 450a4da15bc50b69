"""Columns by whatever name people give them; and what nobody reads is said."""

import json
import warnings

import polars as pl
import pytest

from ireval import BadFile, as_qrels, as_run, read_qrels
from ireval.io.files import IgnoredInput
from ireval.labels import read_labels
from ireval.preferences import read_votes
from tests.ireval.builders import write

TOPICS = ["topicID", "Topic ID", "topic.id", "TOPIC-ID", "QueryID", "query id", "Q_ID", "qid"]


def test_a_topic_by_any_spelling_of_its_names(tmp_path):
    for name in TOPICS:
        qrels = write(tmp_path / "qrels.csv", f"{name},DocID,Relevance", "1,a,2", "2,a,0")
        assert read_qrels(qrels).rows() == [("1", "a", 2), ("2", "a", 0)]
        frame = pl.DataFrame({name: ["1"], "Doc No": ["a"], "Score": [1.5]})
        assert as_run(frame).select("topic", "docno").rows() == as_qrels(frame.cast({"Score": int})).drop("grade").rows()


def test_labels_of_one_document_for_two_topics_are_of_two_items(tmp_path):
    for name in TOPICS:
        labels = read_labels(write(tmp_path / "labels.csv", f"{name},docno,worker,label", "1,a,ann,0", "2,a,ann,1"))
        assert labels.items == ("1 a", "2 a")


def test_votes_of_two_items_of_a_topic(tmp_path):
    header = "topicID,item,left,right,winner,worker"
    votes = read_votes(write(tmp_path / "votes.csv", header, "t,1,a,b,left,ann", "t,2,a,b,left,ann"))
    assert votes.topics == ("t",)


def remarks(read, path) -> list[str]:
    with pytest.warns(IgnoredInput) as caught:
        read(path)
    return [str(warning.message) for warning in caught]


def test_a_column_that_looks_like_a_topic_and_is_not_read_is_named(tmp_path):
    labels = write(tmp_path / "labels.csv", "topic number,docno,worker,label", "1,a,ann,0", "2,b,ann,1")
    unread = "column topic number looks like the topic and is ignored: rename it to topic if it is one"
    assert remarks(read_labels, labels) == [f"labels.csv: {unread}"]
    parquet = tmp_path / "labels.parquet"
    pl.read_csv(labels).write_parquet(parquet)
    assert remarks(read_labels, parquet) == [f"labels.parquet: {unread}"]
    votes = write(tmp_path / "votes.csv", "topic number,item,left,right,winner,worker", "1,a,x,y,left,ann")
    assert remarks(read_votes, votes) == [f"votes.csv: {unread}"]


def test_the_second_of_two_topics_or_documents_is_named(tmp_path):
    cells = {"topic": "1", "query_no": "9", "docno": "a", "document nr": "7", "grade": "2"}
    write(tmp_path / "qrels.csv", ",".join(cells), ",".join(cells.values()))
    write(tmp_path / "qrels.jsonl", *[json.dumps(cells | {"docno": docno}) for docno in "ab"])
    pl.DataFrame(cells | {"grade": 2}).write_parquet(tmp_path / "qrels.parquet")
    for name in ("qrels.csv", "qrels.jsonl", "qrels.parquet"):
        assert remarks(read_qrels, tmp_path / name) == [
            f"{name}: column query_no looks like the topic and is ignored: topic is read as the topic",
            f"{name}: column document nr looks like the docno and is ignored: docno is read as the docno",
        ]


def test_a_missing_column_and_one_that_looks_like_it_are_named_together(tmp_path):
    with pytest.raises(BadFile, match=r"expected also topic \(or .*, …\): rename TopicNr to topic if it is one"):
        read_qrels(write(tmp_path / "qrels.csv", "TopicNr,docno,grade", "1,a,2"))


def test_the_id_is_the_topic_where_the_query_stands_beside_it(tmp_path):
    assert read_qrels(write(tmp_path / "qrels.csv", "query,qid,docno,grade", "owls,7,a,2"))["topic"].to_list() == ["7"]


def test_texts_and_titles_are_no_topics(tmp_path):
    with warnings.catch_warnings(action="error"):
        read_qrels(write(tmp_path / "qrels.csv", "qid,query,query_text,topic title,docno,docid,title,grade", "1,a,b,c,d,3,e,2"))
        read_labels(write(tmp_path / "labels.csv", "item,topic,query_no,worker,label", "1,t,9,ann,0"))
