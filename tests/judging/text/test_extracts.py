"""What of a long document is shown first: its own words, where the query's stand together, cut between words."""

import gc
import itertools
import re
import time
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.text.extracts import LONG, MOST, PASSAGE, REACH, passages
from judging.text.highlights import hits, marked, marked_with_extract, plain

FILLING = "Voles run through the long grass of the meadow at night. "
TAG = re.compile(r"<[^>]+>")


def shown(html: str) -> list[tuple[int, str]]:
    """Each passage as it is read, and which character of the text it says it begins with."""
    return [
        (int(at), unescape(TAG.sub("", inside)))
        for at, inside in re.findall(r'<span data-start="(\d+)">(.*?)</span>', html, re.S)
    ]


WORDS = st.sampled_from(
    ["owl", "owls", "diet", "voles", "a", "<b>", "&amp;", "night.", "grass,", "…", "\n", "\r\n", "\r", "\x02", "é", "😀", "l’owl"]
)
LETTERS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30)
TEXTS = (
    st.lists(WORDS | LETTERS, max_size=400)
    .map(" ".join)
    .flatmap(lambda some: st.integers(0, 3).map(lambda times: (some + " " + FILLING * 10 * times) * 2))
)


@given(text=TEXTS, query=st.sampled_from(["diet of owls", "owl", "&amp; b", "the", "", "zebra"]))
def test_an_extract_is_of_the_documents_own_words_and_says_where_they_stand(text, query):
    full, extract = marked_with_extract(text, query)
    assert full == marked(text, query)
    assert bool(extract) == (len(text) > LONG)
    if not extract:
        return
    before = 0
    for start, piece in shown(extract):
        assert piece
        assert start >= before
        assert plain(text)[start : start + len(piece)] == piece
        before = start + len(piece)
    assert sum(len(piece) for _, piece in shown(extract)) <= len(text)
    assert ("<mark>" in full) == ("<mark>" in extract)
    assert TAG.sub("", extract.replace("<mark>", "").replace("</mark>", "")).count("<") == 0
    assert extract.count("<mark>") == extract.count("</mark>")


@given(text=TEXTS)
def test_a_browser_counts_the_characters_as_we_do(text):
    """An offset into what is shown is one into the document's text."""
    full, _ = marked_with_extract(text, "owl")
    assert len(unescape(TAG.sub("", full))) == len(text)
    assert "\r" not in full


@given(st.lists(st.tuples(st.integers(0, 5000), st.sampled_from("abc")), max_size=60))
def test_passages_are_few_short_and_apart(places):
    text = list((FILLING * 90)[:5200])
    for at, letter in places:
        text[at : at + 5] = f" x{letter}x "
    whole = "".join(text)
    spans = passages(whole, hits(whole, "xax xbx xcx"))
    assert 1 <= len(spans) <= MOST
    assert all(span.end < other.start for span, other in itertools.pairwise(spans))
    assert all(span.end - span.start <= PASSAGE + 2 * REACH + 20 or len(spans) < MOST for span in spans)


def around(at: int, words: str) -> str:
    text = FILLING * 80
    return text[:at] + words + text[at:]


def test_the_densest_place_is_shown_and_so_is_the_beginning_of_a_document_that_has_no_other():
    _, extract = marked_with_extract("Owl here. " + around(2300, "The diet of owls. "), "diet of owls")
    (first, _), (second, piece) = shown(extract)
    assert first == 0
    assert 2000 < second < 2330
    assert "The diet of owls." in piece
    assert extract.count("…") == 2  # between them, and at the end


def test_more_of_the_querys_words_win_over_more_often_the_same():
    text = around(3000, "The diet of owls. ")
    text = text[:900] + "An owl, an owl, an owl. " + text[900:]
    text = text[:100] + "One owl. " + text[100:]
    text = text[:1700] + "One owl. " + text[1700:]
    spans = [piece for _, piece in shown(marked_with_extract(text, "diet of owls")[1])]
    assert len(spans) == 3
    assert any("The diet of owls." in piece for piece in spans)
    assert any("an owl, an owl." in piece for piece in spans)


def test_cuts_lie_between_sentences():
    for _, piece in shown(marked_with_extract(around(2000, "An owl. "), "owl")[1]):
        assert re.match(r"[A-Z]", piece)
        assert piece.endswith(".")


def test_without_sentences_cuts_lie_between_words():
    words = "vole mouse shrew " * 200
    text = words[:1600] + " owl " + words[1600:]
    for _, piece in shown(marked_with_extract(text, "owl")[1]):
        assert set(piece.split()) <= {"vole", "mouse", "shrew", "owl", "vo", "le", "mou", "se", "m", "ouse"}
        assert piece == piece.strip()
        assert piece.split()[0] in ("vole", "mouse", "shrew")


def test_a_document_with_none_of_the_words_shows_how_it_begins():
    (only,) = shown(marked_with_extract(FILLING * 60, "zebra")[1])
    assert only[0] == 0
    assert only[1].startswith(FILLING)


def test_a_text_without_any_space_is_cut_all_the_same():
    pieces = shown(marked_with_extract("梟" * 4000, "owl")[1])
    assert [at for at, _ in pieces] == [0]


@pytest.fixture
def without_collecting():
    """What the rest of the suite left in memory takes no time here."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("text", [FILLING, "owl " * 400, "x" * 1000, "owl diet. " * 160])
def test_the_time_grows_with_the_text_alone(text, without_collecting):
    def seconds(length: int) -> float:
        whole = (text * (length // len(text) + 1))[:length]
        best = []
        for _ in range(3):
            start = time.process_time()
            marked_with_extract(whole, "diet of owls")
            best.append(time.process_time() - start)
        return min(best)

    assert seconds(400_000) < 100 * max(seconds(20_000), 0.0005), (
        "20 times as long a text; its square would take 400 times as long"
    )
