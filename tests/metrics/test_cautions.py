"""Cautions take a few words each, however many there are."""

from django.template.loader import render_to_string

from tests.visible_words import visible_words

LONG = "Only {} workers voted: others may see it differently, and the interval is as wide as it is to allow for that."


def shown(number):
    cautions = [LONG.format(count) for count in range(number)]
    block = render_to_string("metrics/_cautions.html", {"cautions": cautions})
    return block, visible_words(f"<main>{block}</main>")


def test_three_are_named_and_the_rest_are_folded():
    block, reader = shown(7)
    assert len(reader.words) < 25
    assert "4 more" in " ".join(reader.words)
    for count in range(7):
        assert LONG.format(count) in block


def test_three_leave_nothing_to_fold():
    block, _ = shown(3)
    assert " more<" not in block
    assert shown(0)[0].strip() == ""
