"""A study's own texts in other languages."""

import hashlib

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.access import study_for
from judging.requests import SignedIn
from judging.studies.translations import LANGUAGES, LONGEST, Text, ours, problem, texts_of, translate


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_languages(request: SignedIn, pk: int) -> HttpResponse:
    """Show the texts beside their translations into `?language=`, or keep these."""
    study = study_for(request.user, pk)
    asked = request.GET.get("language", "")
    language = asked if asked in LANGUAGES else next(iter(LANGUAGES))
    texts = texts_of(study)
    kept = study.translations.get(language, {})
    if request.method == "POST":
        kept = {row.text: request.POST.get(field_name(row), "").replace("\0", "").strip() for row in texts}
        wrong = problem(study, {language: kept})
        if wrong is None:
            count = translate(study, language, kept, by=request.user)
            kept_text = _("Kept: %(count)s of %(texts)s texts in %(language)s.")
            messages.success(request, kept_text % {"count": count, "texts": len(texts), "language": LANGUAGES[language]})
            return redirect(f"{reverse('study_languages', args=[pk])}?language={language}")
        messages.error(request, wrong)
    with translation.override(language):
        rows = [(row, field_name(row), kept.get(row.text, ""), shown_instead(row)) for row in texts]
    context = {
        "study": study,
        "language": language,
        "name": LANGUAGES[language],
        "languages": [(code, name, len(study.translations.get(code, {}))) for code, name in LANGUAGES.items()],
        "rows": rows,
        "longest": LONGEST,
    }
    return render(request, "judging/study_languages.html", context)


def field_name(row: Text) -> str:
    """A hash of the text. If somebody has changed the text meanwhile, the translation is not kept with the new one."""
    return f"text-{hashlib.sha256(row.text.encode()).hexdigest()[:16]}"


def shown_instead(row: Text) -> str:
    """What workers read where nothing is written, if that is not the text itself."""
    translated = ours(row.text)
    return "" if translated == row.text else translated
