"""Near-duplicates are exactly what comparing all pairs gives, and nobody's texts are kept in memory."""

import random
import re
from collections.abc import Iterable, Sequence
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.duplicates import near_duplicates
from ireval.io.files import BadInput, open_file

Document = tuple[str, str]


def shingles(text: str, words: int) -> set[tuple[str, ...]]:
    listed = re.findall(r"\w+", text.lower()) or text.split()
    return {tuple(listed[at : at + words]) for at in range(max(1, len(listed) - words + 1))} if listed else set()


def by_all_pairs(documents: Sequence[Document], threshold: float, words: int) -> set[frozenset[str]]:
    """The groups, by comparing every document with every other."""
    sets = {docno: shingles(text, words) for docno, text in documents}
    groups = {docno: frozenset([docno]) for docno in sets}
    for (one, ours), (other, theirs) in combinations(sets.items(), 2):
        common = len(ours & theirs)
        # Shares are compared as whole numbers of hundredths.
        if ours and theirs and 100 * common >= round(100 * threshold) * (len(ours) + len(theirs) - common):
            whole = groups[one] | groups[other]
            groups |= dict.fromkeys(whole, whole)
    return {group for group in groups.values() if len(group) > 1}


def found(documents: Iterable[Document], **settings) -> set[frozenset[str]]:
    frame = near_duplicates(documents, **settings)
    return {frozenset(rows["docno"]) for _, rows in frame.group_by("group")}


def edited(text: str, edits: int, chance: random.Random) -> str:
    """The text with some of its words taken out, put in twice or replaced."""
    words = text.split()
    for _ in range(edits):
        at = chance.randrange(len(words)) if words else 0
        words[at : at + 1] = chance.choice([[], ["another"], words[at : at + 1] * 2])
    return " ".join(words)


def with_planted_edits(documents: Sequence[Document], chance: random.Random) -> list[Document]:
    """The documents, of a third of them a copy with up to a dozen edits, and copies of some copies."""
    planted = [
        (f"copy of {docno}", edited(text, chance.randrange(12), chance)) for docno, text in documents if chance.random() < 1 / 3
    ]
    further = [
        (f"copy of {docno}", edited(text, chance.randrange(5), chance)) for docno, text in planted if chance.random() < 1 / 3
    ]
    mixed = [*documents, *planted, *further]
    chance.shuffle(mixed)
    return mixed


def texts_of(path) -> list[Document]:
    """The documents of a collection in SMART's format: .I and a number, then titles, authors and text."""
    with open_file(path) as stream:
        _, *documents = stream.read().decode().split("\n.I ", 300)
    return [(number, text) for number, _, text in (document.partition("\n") for document in documents[:-1])]


@pytest.mark.parametrize(("threshold", "words"), [(0.8, 5), (0.5, 3), (0.9, 8), (1, 5)])
@pytest.mark.parametrize("file", ["cranfield/cran.all.1400", "cisi/CISI.ALL.xz"])
def test_groups_are_those_of_all_pairs(shared_data, file, threshold, words):
    documents = with_planted_edits(texts_of(shared_data / file), random.Random(f"{file} {threshold}"))
    groups = found(documents, threshold=threshold, words=words)
    assert groups == by_all_pairs(documents, threshold, words)
    assert len(groups) > 10


WORDS = st.lists(st.sampled_from("abc"), max_size=9).map(" ".join)


@given(texts=st.lists(WORDS, max_size=12), threshold=st.sampled_from([0.5, 0.6, 0.7, 0.75, 0.8, 1]), words=st.integers(1, 4))
def test_groups_of_few_words_are_those_of_all_pairs(texts, threshold, words):
    documents = [(f"d{number}", text) for number, text in enumerate(texts)]
    assert found(documents, threshold=threshold, words=words) == by_all_pairs(documents, threshold, words)


@given(texts=st.lists(WORDS, max_size=12), seed=st.integers(0, 9))
def test_the_order_of_documents_makes_no_other_groups(texts, seed):
    documents = [(f"d{number}", text) for number, text in enumerate(texts)]
    shuffled = random.Random(seed).sample(documents, len(documents))
    assert found(documents) == found(shuffled)


@pytest.mark.parametrize(
    ("texts", "groups"),
    [
        ([], []),
        (["", "", " \n"], []),
        (["owl", "owl"], [["owl", "owl"]]),
        (["Owl!", "owl", "owls"], [["Owl!", "owl"]]),
        (["??", " ?? ", "?"], [["??", " ?? "]]),
        (["an owl", "an owl hoots", "an owl"], [["an owl", "an owl"]]),
    ],
    ids=["none", "blank", "one word", "capitals and punctuation", "no word", "shorter than a shingle"],
)
def test_short_texts_are_duplicates_of_the_same_words_alone(texts, groups):
    frame = near_duplicates((str(number), text) for number, text in enumerate(texts))
    named = [[texts[int(docno)] for docno in rows["docno"]] for _, rows in frame.group_by("group", maintain_order=True)]
    assert named == groups


def test_a_group_is_what_pairs_connect_and_is_called_by_its_first_document():
    words = [f"w{number}" for number in range(60)]
    slid = [("a", words[0:50]), ("b", words[4:54]), ("c", words[8:58])]
    documents = [(docno, " ".join(chosen)) for docno, chosen in slid]
    assert near_duplicates(documents).rows() == [("a", "a"), ("b", "a"), ("c", "a")]
    assert near_duplicates([documents[0], documents[2]]).is_empty()


@pytest.mark.parametrize("threshold", [0.5, 0.55, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1])
def test_a_pair_at_the_threshold_counts_and_one_below_does_not(threshold):
    """A beginning shares all of its shingles with the whole of 20, whose others nobody else has: they come before the shared."""
    words = [f"w{number}" for number in range(24)]
    shared = round(20 * threshold)
    whole, beginning, shorter = " ".join(words), " ".join(words[: shared + 4]), " ".join(words[: shared + 3])
    assert len(near_duplicates([("whole", whole), ("beginning", beginning)], threshold=threshold)) == 2
    assert near_duplicates([("whole", whole), ("shorter", shorter)], threshold=threshold).is_empty()


@pytest.mark.parametrize(("threshold", "shingles"), [(0.5, 3), (0.6, 4), (0.8, 9), (0.9, 19)])
def test_of_two_equally_long_at_the_threshold_each_may_have_one_that_the_other_lacks(threshold, shingles):
    words = [f"w{number}" for number in range(shingles + 5)]
    pair = [("first", " ".join(words[:-1])), ("second", " ".join(words[1:]))]
    assert len(near_duplicates(pair, threshold=threshold)) == 2
    assert near_duplicates(pair, threshold=threshold + 0.01).is_empty()


def test_documents_in_many_portions_are_compared_with_each_other(monkeypatch):
    documents = with_planted_edits([(f"d{n}", " ".join(f"w{n}x{m}" for m in range(150))) for n in range(60)], random.Random(1))
    at_once = near_duplicates(documents)
    monkeypatch.setattr("ireval.duplicates.shingles.PORTION", 500)
    monkeypatch.setattr("ireval.duplicates.shingles.MOST_DOCUMENTS", 7)
    monkeypatch.setattr("ireval.duplicates.similarity_join.BLOCK", 300)
    assert near_duplicates(documents).equals(at_once)
    assert len(at_once) > 20


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"threshold": 0.3}, "expected a share from 0.5 to 1"),
        ({"threshold": 1.1}, "0.5 to 1"),
        ({"words": 0}, "^words is 0; expected a whole number from 1$"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(BadInput, match=message):
        near_duplicates([("a", "owl")], **settings)


def test_a_document_that_is_there_twice_is_refused():
    with pytest.raises(BadInput, match=r"^document 3 has the docno a again; document 1 has it: keep one of them$"):
        near_duplicates([("a", "owl"), ("b", "owl"), ("a", "hawk")])


def test_texts_of_a_frame_are_texts_under_any_usual_name_of_a_docno():
    frame = pl.DataFrame({"doc_id": ["a", "b", "c"], "text": ["owl", "owl", None]})
    assert near_duplicates(frame).rows() == [("a", "a"), ("b", "a")]
    with pytest.raises(BadInput, match=r"^row 1: column text is 1.5, of type float; expected text: convert the column$"):
        near_duplicates(frame.with_columns(text=pl.lit(1.5)))
