"""Every message of every page is there in every language, says the same with the same blanks, and is compiled."""

import ast
import gettext
import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from django.conf import settings
from django.utils import formats, translation

from ireval_site import languages
from ireval_site.laptop import slim
from tests.messages import CODE, ROOT, catalogues, compiled, in_code, in_template, read, untranslated, wanted

BLANKS = re.compile(r"%\(\w+\)s|<[^>]+>|…$|[.?!:]$")
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


@pytest.fixture(params=catalogues(), ids=lambda po: po.parts[-3])
def po(request):
    return request.param


def test_there_is_a_catalogue_for_every_language_but_the_one_in_the_code():
    translated = {code for code, _ in settings.LANGUAGES} - {settings.LANGUAGE_CODE}
    assert {po.parts[-3] for po in catalogues()} == translated


def test_a_folder_is_a_language_and_nothing_else_is_needed(client, settings, tmp_path, monkeypatch):
    header = "Language: eo\nContent-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"
    for code in ("eo", "qq"):  # Django knows no such language as the second
        folder = tmp_path / code / "LC_MESSAGES"
        folder.mkdir(parents=True)
        (folder / "django.mo").write_bytes(compiled({("",): (header,), ("This link does not work",): ("La ligilo ne funkcias",)}))
    assert languages.translated(tmp_path) == [("eo", "Esperanto"), ("qq", "Qq")]
    settings.LOCALE_PATHS, settings.LANGUAGES = [tmp_path], [*settings.LANGUAGES, *languages.translated(tmp_path)]
    page = client.get("/join/", headers={"Accept-Language": "eo"}).content.decode()
    for part in (
        '<html lang="eo">',
        "La ligilo ne funkcias",
        '<b lang="eo" aria-current="true">Esperanto</b>',
        "ask whoever sent it",
    ):
        assert part in page, part
    with translation.override("eo"):
        assert formats.localize(1234.5) == "1234.5"
    monkeypatch.setattr(slim, "LOCALE", tmp_path)
    assert {"eo", "qq"} < slim.languages()


def test_every_message_has_a_translation_and_no_translation_is_left_over(po):
    catalogue = read(po)
    catalogue.pop(("",))
    assert len(catalogue) > 4000
    assert catalogue.keys() == wanted()
    assert [message for message, forms in catalogue.items() if not all(forms)] == []


def test_a_sentence_of_a_page_is_read_once():
    """At most 25 words up to the next stop; a colon and a semicolon are stops."""
    stops = re.compile(r"(?<=[.!?:;])\s+")
    words = {message: [len(part.split()) for part in stops.split(re.sub(r"<[^>]+>", "", message[0]))] for message in wanted()}
    assert [message for message, counts in words.items() if max(counts) > 25] == []


def test_blanks_markup_and_full_stops_agree(po):
    for message, forms in read(po).items():
        if message != ("",):
            for form in forms:
                assert sorted(BLANKS.findall(form)) == sorted(BLANKS.findall(message[-1])), form


def test_there_are_as_many_forms_as_the_language_has(po):
    catalogue = read(po)
    count = int(re.search(r"nplurals=(\d)", catalogue["",][0])[1])
    assert {len(forms) for message, forms in catalogue.items() if len(message) > 1} == {count}


def test_no_translation_can_end_an_attribute_or_begin_a_tag(po):
    """They go into pages as they are, between quotation marks, too."""
    for message, forms in read(po).items():
        if message != ("",) and not any(mark in message[0] for mark in '"<'):
            assert not [form for form in forms if re.search('["<>&]', form)]


def test_the_compiled_file_is_what_the_catalogue_compiles_to(po):
    """python -m tests.messages makes it."""
    catalogue, mo = read(po), po.with_suffix(".mo").read_bytes()
    assert mo == compiled(catalogue)
    understood = gettext.GNUTranslations(BytesIO(mo))  # Python's own reader
    for message, forms in catalogue.items():
        if len(message) == 1 and message != ("",):
            assert understood.gettext(*message) == forms[0]
        elif len(message) == 2:
            assert {understood.ngettext(*message, n) for n in range(3)} == set(forms)


def test_no_template_says_anything_untranslated():
    texts = {path.relative_to(ROOT).as_posix(): untranslated(path.read_text()) for path in TEMPLATES}
    assert {name: words for name, words in texts.items() if words} == {}


# Labels that people did not understand, in small letters.
PUZZLING = {"workers an item", "hasty below", "minutes kept", "comes again mirrored, %", "make it", "went on"}


def test_no_label_is_one_that_people_did_not_understand():
    words = {text.rpartition("\4")[2] for message in wanted() for text in message}
    assert len(words) > 4000
    assert {text for text in words if text.lower().rstrip(":") in PUZZLING} == set()


PROGRAMS = re.compile(r"\b(celery|redis|valkey|brokers?|outbox)\b", re.IGNORECASE)
# Of words in the glossary.
SYNONYMS = re.compile(r"\b(ratings?|raters?|judgments?|annotat\w+|assessors?|crowdworkers?)\b", re.IGNORECASE)


def test_one_word_a_thing_and_programs_behind_the_pages_are_for_administrators():
    texts = list(texts_by_file())
    assert len(texts) > 4000
    assert [place for place in texts if SYNONYMS.search(place[1])] == []
    assert {name for name, text in texts if PROGRAMS.search(text)} == {"ireval_site/condition.py"}


def texts_by_file() -> Iterator[tuple[str, str]]:
    code = [path for app in CODE for path in (ROOT / app).rglob("*.py")]
    for path in [*TEMPLATES, *code]:
        messages_in = in_template if path in TEMPLATES else in_code
        for message in messages_in(path.read_text()):
            yield from ((path.relative_to(ROOT).as_posix(), text) for text in message)


# Who reads these never sees a page: frames that a caller gave, and the tables of the command line.
OF_CALLERS = {"ireval/io/frames.py", "ireval/io/delimited_tables.py"}
# Functions and the place of the message among their arguments.
SAYS = {"Problem": 2, "because": 1, "add": 1, "warn": 0, "nothing": 0, "Recognition": 2, "CannotCompute": 0, "Unreadable": 0}


@pytest.mark.parametrize("room", ["ireval/io", "judging/collections", "metrics"])
def test_what_is_wrong_with_a_file_or_a_report_is_a_phrase(room):
    """Of phrases the test above knows that each is translated; of a text that is none, nobody could."""
    texts = {path.relative_to(ROOT).as_posix(): list(bare_texts(path.read_text())) for path in (ROOT / room).rglob("*.py")}
    assert {name: lines for name, lines in texts.items() if lines and name not in OF_CALLERS} == {}
    assert list(bare_texts('problems.add(1, f"no {x}")\nBadFile.because(name, "is empty")\nnames.add("a")')) == [1, 2]


def bare_texts(source: str) -> Iterator[int]:
    """The lines on which something is said to be wrong by a text that is no phrase."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call):
            place = SAYS.get(getattr(call.func, "id", "") or getattr(call.func, "attr", ""))
            texts = call.args[place : place + 1] if place is not None else []
            if any(isinstance(part, ast.JoinedStr | ast.Constant | ast.BinOp) for part in texts):
                yield call.lineno


def test_messages_are_found_wherever_they_stand():
    template = """{% translate "a 'b'" %}{% translate "a" context "verb" %}{% include "x" with text=_("c") %}
        {% blocktranslate count n=n %}{{ n }} d{% plural %}{{ n }} ds{% endblocktranslate %}"""
    assert set(in_template(template)) == {("a 'b'",), ("verb\4a",), ("c",), ("%(n)s d", "%(n)s ds")}
    assert set(in_code('x = _("e") % {"f": 1}\ny = other("g")\nz = pgettext("verb", "h")')) == {("e",), ("verb\4h",)}
