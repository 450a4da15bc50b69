"""What pages say, and what it is in other languages. `python -m tests.messages` compiles locale/ and says what is missing.

With names of templates it says instead which of their words ask for no translation. GNU gettext compiles the same, but is absent
from many machines; Django reads only the compiled file, so it is in the repository.
"""

import ast
import re
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[1]
CODE = ("judging", "metrics", "ireval_site", "ireval")
# How many of a function's first arguments are a message: of those with a context, that comes first.
FORMS = {
    "_": 1, "gettext": 1, "gettext_lazy": 1, "gettext_noop": 1, "ngettext": 2, "ngettext_lazy": 2, "pgettext": 2,
    "pgettext_lazy": 2, "Phrase": 1, "Counted": 2,
}  # fmt: skip

Message = tuple[str, ...]  # the singular, and the plural where there is one; before the singular its context, if it has one
CONTEXT = "\4"  # ends it, as in GNU gettext
LITERAL = r"""u?('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
IN_TEMPLATE = re.compile(rf"(\b[np]?gettext|\b_)\(\s*{LITERAL}(?:\s*,\s*{LITERAL})?")
WORDS = re.compile(r"[^\W\d_]{2,}")
BLANK = re.compile(r"%\(\w+\)s")
FIELD = re.compile(r'^(msgctxt|msgid|msgid_plural|msgstr(?:\[\d\])?) ((?:".*"\n?)+)', re.MULTILINE)


def wanted() -> set[Message]:
    """Whatever templates and code ask a translation for."""
    templates = {message for path in (ROOT / "templates").rglob("*.html") for message in in_template(path.read_text())}
    return templates | {message for app in CODE for path in (ROOT / app).rglob("*.py") for message in in_code(path.read_text())}


def in_template(source: str) -> Iterator[Message]:
    for function, *literals in IN_TEMPLATE.findall(templatize(source)):
        yield message_of(function, [ast.literal_eval(literal) for literal in literals if literal])


def in_code(source: str) -> Iterator[Message]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORMS:
            arguments = (argument.value for argument in node.args[: FORMS[node.func.id]] if isinstance(argument, ast.Constant))
            texts = [text for text in arguments if isinstance(text, str)]
            if texts and (node.func.id != "Phrase" or WORDS.search(BLANK.sub("", texts[0]))):
                yield message_of(node.func.id, texts)


def message_of(function: str, texts: list[str]) -> Message:
    return (CONTEXT.join(texts),) if function.startswith("pgettext") else tuple(texts)


def untranslated(source: str) -> list[str]:
    """The words of a template that no translation is asked for."""
    source = re.sub(
        r"{% (comment|blocktranslate).*?{% end\1 %}|{#.*?#}|<(script|style|code).*?</\2>", "", source, flags=re.DOTALL
    )
    source = re.sub(r"{% block (body_class|frame) %}.*?{% endblock %}", "", source)  # names of classes
    arguments = re.findall(r'{% include [^%]*\b(?:title|text|action|label)="([^"]+)"', source)
    arguments += re.findall(r'{{[^}]*\|(?:default|default_if_none|yesno):"([^"]*)"', source)
    text = re.sub(r"{%.*?%}|{{.*?}}", "", source, flags=re.DOTALL)
    attributes = re.findall(r'(?:aria-label|title|alt|placeholder)="([^"]*)"', text)
    text = re.sub(r"<kbd.*?</kbd>|<[^>]*>", "", text, flags=re.DOTALL)
    return [word for word in WORDS.findall(" ".join([text, *attributes, *arguments])) if word != "ireval"]


def read(po: Path) -> dict[Message, Message]:
    """A catalogue: to each message its translation, in as many forms as the language has. The header is under the empty one."""
    catalogue = {}
    for entry in po.read_text().split("\n\n"):
        fields = {name: "".join(map(ast.literal_eval, lines.splitlines())) for name, lines in FIELD.findall(entry)}
        if not fields:
            continue  # a heading
        context = f"{fields.pop('msgctxt')}{CONTEXT}" if "msgctxt" in fields else ""
        message = tuple(fields.pop(name) for name in ("msgid", "msgid_plural") if name in fields)
        catalogue[context + message[0], *message[1:]] = tuple(fields.values())
    return catalogue


def compiled(catalogue: dict[Message, Message]) -> bytes:
    """The catalogue as GNU's .mo: two tables of lengths and places, then the texts, each with a NUL behind it."""
    pairs = sorted(("\0".join(message).encode(), "\0".join(forms).encode()) for message, forms in catalogue.items())
    texts = [message for message, _ in pairs] + [forms for _, forms in pairs]
    place, table = 28 + 8 * len(texts), b""
    for text in texts:
        table += struct.pack("<2I", len(text), place)
        place += len(text) + 1
    header = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    return header + table + b"".join(text + b"\0" for text in texts)


def catalogues() -> list[Path]:
    return sorted((ROOT / "locale").glob("*/LC_MESSAGES/django.po"))


def main(*templates: str) -> None:
    if templates:
        for name in templates:
            print(name, *untranslated(Path(name).read_text()))
        return
    for po in catalogues():
        catalogue = read(po)
        po.with_suffix(".mo").write_bytes(compiled(catalogue))
        print(f"{po.relative_to(ROOT)}: {len(catalogue) - 1} messages compiled")
        for message in sorted(wanted() - catalogue.keys()):
            print("missing:", *map(repr, message))
        for message in sorted(catalogue.keys() - wanted() - {("",)}):
            print("said nowhere:", *map(repr, message))


if __name__ == "__main__":
    main(*sys.argv[1:])
