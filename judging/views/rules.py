"""A study's rules: what they are, whom they caught, and what another one would do."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from judging.access import study_for
from judging.forms.rules import CopyForm, RuleForm
from judging.models import Exclusion, Rule, Study
from judging.requests import SignedIn
from judging.rules import enforcement
from judging.rules.reach import Met, met_by_one, why_out_of_reach


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_rules(request: SignedIn, pk: int) -> HttpResponse:
    """The study's rules. With a rule in the address, a preview of it, to look at and to share; posted, the rule is made."""
    study = study_for(request.user, pk)
    if request.method == "POST":
        form = RuleForm(request.POST, study=study)
        if not form.is_valid():
            return page(request, study, form=form, status=422)
        enforcement.make(form.instance, by=request.user)
        messages.success(request, _("The rule holds from now on, and is being applied. Whom it catches is shown below."))
        return redirect("study_rules", pk)
    form = RuleForm(request.GET if "signal" in request.GET else None, study=study)
    preview = enforcement.preview(study, form.instance) if form.is_valid() else None
    return page(request, study, form=form, preview=preview)


def page(request: SignedIn, study: Study, *, form: RuleForm, status: int = 200, **context) -> HttpResponse:
    acted = Exclusion.objects.select_related("worker").order_by("id")
    rules = study.rules.select_related("study").prefetch_related(Prefetch("exclusions", acted))
    sentences = [(rule, enforcement.rule_sentence(rule)) for rule in rules]
    met = met_by_one(study)
    active = [(rule, sentence, why_out_of_reach(rule, met)) for rule, sentence in sentences if rule.ended is None]
    context |= {
        "study": study,
        "form": form,
        "sentence": enforcement.rule_sentence(form.instance) if form.is_valid() else "",
        "preview_reach": why_out_of_reach(form.instance, met) if form.is_valid() else "",
        "rules": active,
        "ended": [(rule, sentence) for rule, sentence in sentences if rule.ended],
        "suggestions": suggestions(study, met, already=[enforcement.settings_of(rule) for rule, *__ in active]),
        "copy": CopyForm(study=study, user=request.user),
    }
    return render(request, "judging/study_rules.html", context, status=status)


def suggestions(study: Study, met: Met, *, already: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """The usual rules that do not hold yet: in words, the address of its preview, and why it can hardly act on anybody."""
    wanted = [settings for settings in enforcement.suggested(study) if settings not in already]
    usual = [(Rule(study=study, **settings), "?" + urlencode(settings)) for settings in wanted]
    return [(enforcement.rule_sentence(rule), address, why_out_of_reach(rule, met)) for rule, address in usual]


@login_required
@require_POST
def rules_apply(request: SignedIn, pk: int) -> HttpResponse:
    enforcement.ask(study_for(request.user, pk))
    messages.success(request, _("The rules are being applied. Whom they catch is shown below."))
    return redirect("study_rules", pk)


@login_required
@require_POST
def rules_copy(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    form = CopyForm(request.POST, study=study, user=request.user)
    if not form.is_valid():
        messages.error(request, _("That study has no rules, or is not yours."))
    else:
        count = enforcement.copy(form.cleaned_data["source"], study, by=request.user)
        messages.success(request, ngettext("%(count)s more rule.", "%(count)s more rules.", count) % {"count": count})
    return redirect("study_rules", pk)


@login_required
@require_POST
def rule_end(request: SignedIn, pk: int, rule_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    enforcement.end(get_object_or_404(Rule.objects.select_related("study"), pk=rule_pk, study=study), by=request.user)
    messages.success(request, _("The rule catches nobody any more. What it did stays until you take it back."))
    return redirect("study_rules", pk)
