"""A page with holes is the page that would have been rendered, whatever is in it."""

import pytest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe

from judging.models import Document, Item, Study, Topic
from judging.text.highlights import marked
from judging.views.item_page import JudgePage, evidence
from judging.work.frozen_pages import Frozen, hole, without_indentation

LINE = "<li><b>{{ name }}</b>: {{ count }} of {{ all }}</li>"


@pytest.fixture
def template(settings, tmp_path):
    (tmp_path / "line.html").write_text(LINE)
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    return "line.html"


@pytest.mark.parametrize("name", ["Ada", "<script>alert(1)</script>", "{{ all }}", "hole-count-0", "", mark_safe("<i>Ada</i>")])
def test_filled_it_is_what_rendering_gives(template, name):
    frozen = Frozen(template, {"name": hole("name"), "count": hole("count"), "all": "9 < 10"})
    for count in (0, 3):
        expected = render_to_string(template, {"name": name, "count": count, "all": "9 < 10"})
        assert frozen.fill(name=name, count=count) == expected


def test_what_fills_a_hole_keeps_its_lines(template):
    frozen = Frozen(template, {"name": hole("name"), "count": 1, "all": 2})
    assert frozen.fill(name="Ada\n\n  Lovelace") == "<li><b>Ada\n\n  Lovelace</b>: 1 of 2</li>"


def test_a_page_without_holes(template):
    assert Frozen(template, {"name": "Ada", "count": 1, "all": 2}).fill() == "<li><b>Ada</b>: 1 of 2</li>"


def test_no_hole_stays_open(template):
    frozen = Frozen(template, {"name": hole("name"), "count": 1, "all": 2})
    with pytest.raises(KeyError):
        frozen.fill(surname="Lovelace")


SHAPES = [
    (
        {"title": "owls", "description": "What do owls eat?", "narrative": "Prey & <b>habits</b>"},
        {"title": "Owl", "url": "https://o/?a&b"},
    ),
    ({"title": "owls", "description": "owls"}, {"title": "", "url": ""}),
    ({"title": "<i>owls</i>"}, {"title": "hole-text-0", "url": ""}),
    ({"title": "owls", "narrative": "{{ text }}"}, {"title": "<script>", "url": "https://o/"}),
]


@pytest.mark.parametrize(("about", "details"), SHAPES)
@pytest.mark.parametrize("text", ["Owls & <voles>", ""])
def test_what_a_worker_reads_is_what_rendering_it_gives(about, details, text):
    topic, document = Topic(**about), Document(text=text, **details)
    item = Item(study=Study(), topic=topic, document=document)
    item.has_files = False
    page = JudgePage(item, name="x", key="", offer="")
    context = {"title": marked(document.title, topic.title), "text": marked(text, topic.title), "url": document.url}
    for language in ("it", "en-gb"):
        with translation.override(language):
            expected = render_to_string("judging/_evidence.html", {"topic": topic, **context})
            assert evidence(page) == without_indentation(expected)
