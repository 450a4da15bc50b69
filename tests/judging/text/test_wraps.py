"""Lines that a margin ended flow; those of lists, verse, tables and code stay. Real texts: Cranfield's and CISI's abstracts."""

import lzma
import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.text.wraps import flowing

PARAGRAPH = (
    "Owls hunt by ear. The barn owl turns its head until a sound is as loud in the one ear as in the other, and then flies at it "
    "in the dark. Voles are most of what it eats; in a hard winter it also takes Sparrows, Starlings and Frogs."
)


@given(st.text(alphabet="ab AB.\n\r\t-", max_size=400))
def test_every_character_stays_where_it_is(text):
    flowed = flowing(text)
    assert len(flowed) == len(text)
    assert all(new == old or (old, new) == ("\n", " ") for old, new in zip(text, flowed, strict=True))


@pytest.mark.parametrize("width", [60, 72, 80, 100])
def test_a_wrapped_paragraph_is_one_line_again(width):
    assert flowing(textwrap.fill(PARAGRAPH, width)) == PARAGRAPH


def test_paragraphs_stay_apart():
    text = f"{textwrap.fill(PARAGRAPH, 70)}\n\n{textwrap.fill(PARAGRAPH, 70)}"
    assert flowing(text) == f"{PARAGRAPH}\n\n{PARAGRAPH}"


@pytest.mark.parametrize(
    "text",
    [
        "Tell all the truth but tell it slant,\nSuccess in circuit lies,\nToo bright for our infirm delight",
        "Take into the field at dusk:\n- a lamp with a red filter before it\n- a notebook, and two pencils",
        "Take into the field at dusk:\n1. a lamp with a red filter before it\n2. a notebook, and two pencils",
        "def hunt(owl, voles):\n    for vole in voles:\n        owl.catch(vole)\n    return owl",
        "One line is a paragraph.\nSo is the other.",
    ],
    ids=["verse", "bullets", "numbers", "code", "short lines"],
)
def test_what_no_margin_broke_keeps_its_lines(text):
    assert flowing(text) == text


def abstracts(text: str) -> list[str]:
    return [re.split(r"\n\.[XIC]", part)[0].strip() for part in re.findall(r"\n\.W\n(.*?)(?=\n\.I |\Z)", text, re.DOTALL)]


@pytest.mark.parametrize(("name", "left"), [("cranfield/cran.all.1400", 0.25), ("cisi/CISI.ALL.xz", 0.1)])
def test_abstracts_of_the_sixties_flow(shared_data, name, left):
    """What is left ends titles, paragraphs and lines of formulas."""
    file = shared_data / name
    raw = lzma.decompress(file.read_bytes()) if file.suffix == ".xz" else file.read_bytes()
    texts = abstracts(raw.decode(errors="replace"))
    assert sum(flowing(text).count("\n") for text in texts) < left * sum(text.count("\n") for text in texts)
