"""Our own scripts and styles go over the wire compressed, also where nobody runs `collectstatic`."""

import gzip
import os
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

from ireval_site.static import pack

STYLE = Path("ireval", "ireval.css")


@pytest.fixture
def packed(tmp_path, settings):
    """A folder of packed files, which the finders look into as in the processes that the launcher starts."""
    settings.STATICFILES_DIRS = [tmp_path]
    finders.get_finder.cache_clear()
    pack(tmp_path)
    yield tmp_path
    finders.get_finder.cache_clear()


def test_what_our_pages_load_is_sent_compressed(packed):
    site = WhiteNoiseMiddleware(lambda request: None)
    for name in ("ireval/ireval.css", "judging/judge.js", "metrics/charts.js", "plotly/plotly.min.js"):
        answer = site(RequestFactory().get(f"/static/{name}", headers={"accept-encoding": "gzip, deflate, br"}))
        plain = site(RequestFactory().get(f"/static/{name}"))
        content = plain.getvalue()
        assert answer["Content-Encoding"] == "gzip"
        assert int(answer["Content-Length"]) < len(content) / 2
        assert gzip.decompress(answer.getvalue()) == content == Path(finders.find(name, find_all=True)[-1]).read_bytes()
    assert "/static/ireval/ireval.css.gz" not in site.files


def test_only_what_has_changed_is_packed_again(packed):
    compressed = packed / STYLE.with_name("ireval.css.gz")
    plotly = packed / "plotly" / "plotly.min.js.gz"
    compressed.write_bytes(b"as it was")
    plotly.write_bytes(b"as it was")
    pack(packed)
    assert compressed.read_bytes() == plotly.read_bytes() == b"as it was"

    (packed / STYLE).write_text("the style of an earlier version")
    os.utime(packed / STYLE, (1, 1))
    pack(packed)
    assert gzip.decompress(compressed.read_bytes()) == (packed / STYLE).read_bytes() == original(STYLE).read_bytes()
    assert plotly.read_bytes() == b"as it was"


def test_what_was_interrupted_is_packed_again(packed):
    """The copy comes last: where it lacks, so may its compressed copy's end."""
    (packed / STYLE).unlink()
    (packed / STYLE.with_name("ireval.css.gz")).write_bytes(b"half of it")
    pack(packed)
    assert gzip.decompress((packed / STYLE.with_name("ireval.css.gz")).read_bytes()) == original(STYLE).read_bytes()


def original(name: Path) -> Path:
    return Path(__file__).resolve().parents[2] / "ireval_site" / "static" / name
