"""The languages of pages: each folder of `locale/` that has a compiled catalogue."""

from pathlib import Path

from django.conf.locale import LANG_INFO
from django.utils.translation import to_language


def translated(locale: Path) -> list[tuple[str, str]]:
    """The code and own name of each; a language that Django has no name for is called by its code."""
    codes = sorted(to_language(path.parts[-3]) for path in locale.glob("*/LC_MESSAGES/django.mo"))
    return [(code, LANG_INFO.get(code, {}).get("name_local", code).capitalize()) for code in codes]
