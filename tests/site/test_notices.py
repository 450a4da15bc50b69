"""A notice: an include whose text stands between tags, since no tag of a template may go over a line."""

from django.template import Context, Template

INCLUDE = '{% include "_alert.html" with level="warning" title="Sparse" text=text %}'
NOTICE = """{% load notices %}{% notice "_alert.html" level="warning" title="Sparse" %}
  Most documents have no grade:
  {{ what }} counts them.
{% endnotice %}"""


def test_says_what_an_include_with_this_text_says():
    text = "Most documents have no grade: <b> counts them."
    assert Template(NOTICE).render(Context({"what": "<b>"})) == Template(INCLUDE).render(Context({"text": text}))


def test_its_text_goes_no_further():
    after = Template(NOTICE + "after: {{ text }}").render(Context({"text": "the page’s own", "what": ""}))
    assert after.endswith("after: the page’s own")


def test_sees_what_the_page_knows_as_an_include_does():
    page = '{% load notices %}{% notice "_empty.html" url="/" %}None.{% endnotice %}'
    assert "<h2>Runs</h2>" in Template(page).render(Context({"title": "Runs"}))
