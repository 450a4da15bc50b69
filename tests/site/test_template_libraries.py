"""Templates load only the libraries of tags and filters that they use."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.backends.django import get_installed_libraries
from django.template.library import import_library

TEMPLATES = Path(settings.BASE_DIR) / "templates"
LOADS = re.compile(r"{% load ([\w ]+?) %}")
TAG_OR_FILTER = re.compile(r"{% (\w+)|\|(\w+)")


def unused_libraries(source: str) -> set[str]:
    """The libraries that the source loads without using any tag or filter of them."""
    used = {tag or name for tag, name in TAG_OR_FILTER.findall(source)}
    loaded = {name for names in LOADS.findall(source) for name in names.split()}
    return {name for name in loaded if not used & names_in(name)}


def names_in(library: str) -> set[str]:
    module = import_library(get_installed_libraries()[library])
    return {*module.tags, *module.filters}


@pytest.mark.parametrize(
    ("source", "unused"),
    [
        ("{% load humanize i18n %}{% translate 'n' %} {{ n|intcomma }}", set()),
        ("{% load humanize i18n %}{% translate 'n' %}{% if n %}intcomma{% endif %}", {"humanize"}),
        ("{% load i18n %}{% load humanize %}{% include 'n' with n=n|intcomma %}", {"i18n"}),
    ],
)
def test_what_is_loaded_in_vain_is_told(source, unused):
    assert unused_libraries(source) == unused


def test_templates_load_what_they_use():
    sources = {path: path.read_text() for path in TEMPLATES.rglob("*.html")}
    assert sources
    in_vain = {
        str(path.relative_to(TEMPLATES)): unused for path, source in sources.items() if (unused := unused_libraries(source))
    }
    assert not in_vain
