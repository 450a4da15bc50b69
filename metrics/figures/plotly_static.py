"""A finder of static files that serves plotly's one script from its wheel; collecting the whole wheel takes minutes."""

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

NAME = "plotly/plotly.min.js"


def package_data() -> Path:
    spec = find_spec("plotly")
    assert spec and spec.origin, "plotly is pinned in requirements.txt"
    return Path(spec.origin).parent / "package_data"


@cache
def style_ids() -> list[str]:
    """The ids of the style elements that plotly makes unless the page has them.

    It may not make any: a page's content security policy allows only those with its nonce. The second belongs to maps, which no
    page draws.
    """
    script = (package_data() / "plotly.min.js").read_text()
    return ["plotly.js-style-global", *re.findall(r'getElementById\("([0-9a-f]{64})"\)', script)]


class PlotlyFinder(BaseFinder):
    def find(self, path, find_all=False, **kwargs):
        script = str(package_data() / "plotly.min.js") if path == NAME else None
        if find_all:
            return [script] if script else []
        return script

    def list(self, ignore_patterns):
        storage = FileSystemStorage(location=package_data())
        storage.prefix = "plotly"  # type: ignore[attr-defined]
        yield "plotly.min.js", storage

    def check(self, **kwargs):
        return []
