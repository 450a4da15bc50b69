"""Our own scripts and styles go over the wire compressed, also where nobody runs `collectstatic`."""

import gzip
import os
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.files.storage import FileSystemStorage
from django.test import RequestFactory
from whitenoise.middleware import WhiteNoiseMiddleware

from ireval_site.static import OWN, HashedWhenCollected, originals, pack
from metrics.templatetags.plots import STYLE_IDS

THEIRS = ("admin", "django_htmx", "drf_spectacular_sidecar", "plotly")
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
    for name in ("ireval/ireval.css", "judging/judge.js", "metrics/charts.js", "plotly/plotly-basic.min.js"):
        answer = site(RequestFactory().get(f"/static/{name}", headers={"accept-encoding": "gzip, deflate, br"}))
        plain = site(RequestFactory().get(f"/static/{name}"))
        content = plain.getvalue()
        assert answer["Content-Encoding"] == "gzip"
        assert int(answer["Content-Length"]) < len(content) / 2
        assert gzip.decompress(answer.getvalue()) == content == Path(finders.find(name, find_all=True)[-1]).read_bytes()
    assert "/static/ireval/ireval.css.gz" not in site.files


def test_only_what_has_changed_is_packed_again(packed):
    compressed = packed / STYLE.with_name("ireval.css.gz")
    plotly = packed / "plotly" / "plotly-basic.min.js.gz"
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


def test_only_what_pages_load_is_collected_and_nothing_is_missing(tmp_path, settings):
    """Also where the packages lack the rest: source maps, another page of the API, other versions of htmx."""
    storage = HashedWhenCollected(location=tmp_path)
    files = {name: (FileSystemStorage(location=path.parent), path) for name, path in originals()}
    assert {name.split("/")[0] for name in files} == {*THEIRS, *(own.rstrip("/") for own in OWN)}
    assert not [name for name in files if name.endswith(".map") or "redoc" in name or "htmx-4" in name]
    for name, (_, path) in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(path.read_bytes() if path.suffix == ".css" else b"short")
    done = list(storage.post_process({name: (storage, name) for name in files}))
    assert [name for name, _, processed in done if isinstance(processed, Exception)] == []
    assert set(files) <= storage.hashed_files.keys()


def test_plotly_makes_no_style_that_a_page_lacks():
    script = Path(finders.find("plotly/plotly-basic.min.js")).read_text()
    assert set(re.findall(r'getElementById\("([^"]+)"\)', script)) | {"plotly.js-style-global"} == set(STYLE_IDS)
