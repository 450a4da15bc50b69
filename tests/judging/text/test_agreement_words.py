"""What the engine says of agreement is known in every language: a new sentence of it must be entered."""

import polars as pl
import pytest
from django.utils import translation

from ireval import labels_of
from ireval.agreement import agreement_of, cohen_kappa, mean_cohen_kappa
from judging.text.library_words import in_reader_language
from judging.text.library_words import translation as known

VOTES = {
    "none": [("a", "x", 0)],
    "one worker": [("a", "x", 0), ("b", "x", 1)],
    "apart": [("a", "x", 0), ("b", "y", 1)],
    "one label": [("a", "x", 0), ("a", "y", 0)],
    "three workers": [("a", worker, label) for worker, label in (("x", 0), ("y", 1), ("z", 1))] + [("b", "x", 1), ("b", "y", 1)],
    "single item": [("a", "x", 0), ("a", "y", 1)],
}


def coefficients(rows, **topics):
    item, worker, label = zip(*rows, strict=True)
    labels = labels_of(pl.DataFrame({"item": item, "worker": worker, "label": label} | topics), values=["0", "1"])
    return [*agreement_of(labels, "ordinal"), *(mean_cohen_kappa(labels, weights) for weights in ("unweighted", "quadratic"))]


@pytest.mark.parametrize("rows", VOTES.values(), ids=VOTES.keys())
@pytest.mark.parametrize("by_topic", [True, False])
def test_titles_reasons_and_cautions_are_known(rows, by_topic):
    topics = {"topic": [item for item, _, _ in rows]} if by_topic else {}
    every = coefficients(rows, **topics)
    texts = {text for each in every for text in (each.title, each.undefined, each.caution) if text and "linear" not in text}
    assert {text for text in texts if known(text) is None} == set()


def test_they_are_in_the_readers_language():
    three = labels_of(pl.DataFrame({"item": list("aaa"), "worker": list("xyz"), "label": [0, 1, 1]}), values=["0", "1"])
    with translation.override("it"):
        assert in_reader_language(cohen_kappa(three).undefined) == "ci sono 3 valutatori, e ne confronta due"
