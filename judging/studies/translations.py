"""A study's own texts in the language of whoever reads them: as its researchers translated them, else as they were written.

A translation is kept by the text that it translates. A text that was changed is shown as it was written until it is translated
again. Starting texts that nobody has changed come translated.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.models import Study, User
from judging.models.comparison import DEFAULT_QUESTION, DEFAULT_REASONS
from judging.models.study import DEFAULT_LABELS
from judging.studies.starter import INSTRUCTIONS, PAIR_INSTRUCTIONS

LANGUAGES = {code: name for code, name in settings.LANGUAGES if code != settings.LANGUAGE_CODE}
LONGEST = 20_000
# The texts of ours that a study begins with, as forms keep them and as the catalogue of a language has them.
OURS = {
    text.strip(): text
    for text in [
        INSTRUCTIONS,
        PAIR_INSTRUCTIONS,
        DEFAULT_QUESTION,
        *DEFAULT_REASONS,
        *(text for both in DEFAULT_LABELS for text in both),
    ]
}


class Text(NamedTuple):
    """A text that workers read, and where it stands."""

    where: str
    text: str
    is_long: bool = False


def texts_of(study: Study) -> list[Text]:
    """What the study's workers read that its researchers wrote, each text once."""
    return list({row.text: row for row in reversed(list(written(study))) if row.text}.values())[::-1]


def written(study: Study) -> Iterator[Text]:
    yield Text(_("Name"), study.name)
    yield Text(_("Instructions"), study.instructions, is_long=True)
    yield Text(_("What workers agree to"), study.consent, is_long=True)
    if study.compares:
        yield Text(_("Question"), study.comparison.question)
        yield from (Text(_("Reason"), reason) for reason in study.comparison.reasons)
        return
    for step in study.scale:
        yield Text(_("Grade %(grade)s") % step, step["label"])
        yield Text(_("Grade %(grade)s, meaning") % step, step.get("help", ""))
        yield Text(_("Grade %(grade)s, example") % step, step.get("example", ""))
    for question in study.question_list:
        yield Text(_("Question"), question.text)
        yield from (Text(_("Reply"), option) for option in question.options)


def translated(text: str, study: Study) -> str:
    """The text in the language that is active."""
    if not text:
        return text
    own = study.translations.get(get_language() or "", {}).get(text)
    return own or ours(text)


def ours(text: str) -> str:
    """One of the starting texts in the language that is active; any other as it is."""
    message = OURS.get(text.replace("\r\n", "\n").strip())
    return _(message) if message else text


def problem(study: Study, translations: Mapping[str, Mapping[str, str]]) -> str | None:
    """Why these translations cannot be kept; None if they can."""
    for language, texts in translations.items():
        if language not in LANGUAGES:
            return _("There is no language “%(language)s” here, but %(languages)s.") % {
                "language": language,
                "languages": ", ".join(LANGUAGES),
            }
        if unknown := texts.keys() - {row.text for row in texts_of(study)}:
            return _("Not a text of this study: “%(text)s”.") % {"text": min(unknown)[:60]}
        if any(len(text) > LONGEST for text in texts.values()):
            return _("At most %(most)s characters a text.") % {"most": f"{LONGEST:,}"}
    return None


@transaction.atomic
def translate(study: Study, language: str, texts: Mapping[str, str], *, by: User) -> int:
    """Keep these translations in the place of those before; how many they are. Empty ones are said as they were written."""
    kept = {text: translated for text, translated in texts.items() if translated and translated != text}
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    others = {code: words for code, words in locked.translations.items() if code != language}
    wanted = others | ({language: kept} if kept else {})
    if wanted != locked.translations:
        Study.objects.filter(pk=study.pk).update(translations=wanted)
        if study.is_launched:
            note(
                Deed.CHANGED, f"{quoted(study)}, in {LANGUAGES[language]}: {len(kept)} of {len(texts_of(study))} texts", by, study
            )
    return len(kept)
