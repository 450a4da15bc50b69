"""Experiments on the users of a site: drafting, starting, watching, stopping them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval.behaviour import definition_of
from ireval_site.addresses import public_address
from ireval_site.lists import Column, Filter, RowList, Search
from judging import access
from judging.access import experiment_for, own_experiment_for, own_site_for, sees_records, site_for
from judging.collections.systems import scope_of
from judging.database.numbers import number_in
from judging.experiments import drafts, lifecycle, plan, service_examples
from judging.experiments.exposure import counts
from judging.forms.experiments import KINDS, ExperimentForm, refilled
from judging.forms.refusals import refusals_in
from judging.logs import keys
from judging.models import Arm, Experiment, Query
from judging.requests import SignedIn
from judging.text.library_words import sentence_of
from judging.views.refusals import refusals_on
from judging.views.systems import ask_systems

COLUMNS = [
    Column(gettext_lazy("Experiment"), "name"),
    Column(gettext_lazy("Figure"), hidden=True),
    Column(gettext_lazy("Site"), "site", "site__name"),
    Column(gettext_lazy("Kind"), "kind"),
    Column(gettext_lazy("State"), "state"),
    Column(gettext_lazy("Traffic"), "traffic", num=True),
    Column(gettext_lazy("Started"), "started", gaps=True),
    Column(gettext_lazy("Stopped"), "stopped", gaps=True),
]
EXPERIMENTS, OF_A_SITE = (
    RowList(
        gettext_lazy("experiments"),
        columns,
        order="-pk",
        search=Search(gettext_lazy("Name, or words of what was expected"), ["name__icontains", "hypothesis__icontains"]),
        filters=[
            Filter("state", gettext_lazy("State"), "state", Experiment.State.choices),
            Filter("kind", gettext_lazy("Kind"), "kind", Experiment.Kind.choices),
        ],
    )
    for columns in (COLUMNS, [column for column in COLUMNS if column.key != "site"])
)
PLANNED_BY = ("lift", "ctr", "users_a_day", "traffic", "alpha", "arms")
Kind, State = Experiment.Kind, Experiment.State


@login_required
@require_safe
def experiments(request: SignedIn) -> HttpResponse:
    listed = EXPERIMENTS.page(access.experiments_for(request.user).select_related("site"), request.GET)
    return render(request, "judging/experiments.html", {"listed": listed, "sites": access.own_sites_for(request.user)[:10]})


@login_required
@require_safe
def site_experiments(request: SignedIn, pk: int) -> HttpResponse:
    site = site_for(request.user, pk)
    listed = OF_A_SITE.page(site.experiments.all(), request.GET)
    context = {"site": site, "listed": listed, "mine": sees_records(request.user, site)}
    return render(request, "judging/site_experiments.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def experiment_new(request: SignedIn, pk: int) -> HttpResponse:
    site = own_site_for(request.user, pk)
    kind = Kind.INTERLEAVING if request.GET.get("kind") == Kind.INTERLEAVING else Kind.AB
    return drafting(request, Experiment(site=site, kind=kind))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def experiment_edit(request: SignedIn, pk: int) -> HttpResponse:
    experiment = own_experiment_for(request.user, pk)
    if experiment.state != State.DRAFT:
        messages.error(request, str(drafts.NotADraft()))
        return redirect("experiment", pk)
    return drafting(request, experiment)


def drafting(request: SignedIn, draft: Experiment) -> HttpResponse:
    """The form, which is asked for another row or for a plan as well as to be saved."""
    log, do = plan.baseline(draft.site), request.POST.get("do", "save")
    form = ExperimentForm(request.POST if request.method == "POST" else None, instance=draft, log=log)
    if request.method == "POST" and do == "plan":
        return plan_page(request, form)
    if request.method == "POST" and do != "save":
        return page(request, refilled(form, request.POST, arms=changed_rows(form.rows(), do)))
    if request.method == "POST" and form.is_valid() and (saved := save(request, form)):
        return redirect("experiment", saved.pk)
    return page(request, form, status=422 if form.is_bound else 200)


def changed_rows(rows: list[dict], do: str) -> list[dict]:
    """The rows with one more, or without the one that `do` names."""
    if do == "add":
        return [*rows, {"name": "", "weight": 1, "ranker": "", "is_control": False}][: drafts.MOST_ARMS]
    place = number_in(do.removeprefix("remove-"))
    return [row for number, row in enumerate(rows) if number != place]


def save(request: SignedIn, form: ExperimentForm) -> Experiment | None:
    draft, settings = form.instance, form.settings()
    with refusals_in(form):
        if draft.pk is None:
            return drafts.create(draft.site, by=request.user, kind=draft.kind, **settings)
        return drafts.change(own_experiment_for(request.user, draft.pk), **settings)
    return None


def plan_page(request: SignedIn, form: ExperimentForm) -> HttpResponse:
    """What the planner says, with the number of units filled in; everything else as it was written."""
    form.is_valid()
    values = form.cleaned_data
    if wrong := [f"{form[name].label}: {form.errors[name][0]}" for name in PLANNED_BY if name in form.errors]:
        return page(request, refilled(form, request.POST), trouble=" ".join(wrong))
    if not values["lift"] or not values["ctr"]:
        return page(
            request, refilled(form, request.POST), trouble=_("Say what is to be found, and how many searches get a click now.")
        )
    how = {
        "ctr": values["ctr"] / 100,
        "arms": values["arms"],
        "log": form.log,
        **{name: values[name] for name in ("users_a_day", "traffic", "alpha")},
    }
    try:
        if form.instance.interleaves:
            estimate = plan.plan_interleaving(delta=values["lift"] / 100, **how)
        else:
            estimate = plan.plan(lift=values["lift"] / 100, **how)
    except ValueError as complaint:
        return page(request, refilled(form, request.POST), trouble=_("Nothing can be planned so: %(why)s.") % {"why": complaint})
    filled = refilled(form, request.POST, planned=max(10, estimate.users))
    return page(request, filled, plan=estimate, assumptions=values)


def page(request: SignedIn, form: ExperimentForm, *, status: int = 200, **context: Any) -> HttpResponse:
    draft = form.instance
    stored = Experiment.objects.get(pk=draft.pk) if draft.pk else None
    context |= {
        "form": form,
        "site": draft.site,
        "experiment": stored,
        "interleaves": draft.interleaves,
        "sentence": KINDS[Kind(draft.kind)],
        "groups": draft.site.groups.all(),
        "log": form.log,
        "most_arms": drafts.MOST_ARMS,
    }
    return render(request, "judging/experiment_form.html", context, status=status)


@login_required
@require_safe
def experiment(request: SignedIn, pk: int) -> HttpResponse:
    experiment = experiment_for(request.user, pk)
    mine = sees_records(request.user, experiment.site)
    arms = list(experiment.arms.select_related("run"))
    context = {
        "experiment": experiment,
        "site": experiment.site,
        "mine": mine,
        "published": access.is_published(experiment.site),
        "arms": with_shares(arms),
        "counts": counts(experiment, user=request.user) if experiment.state != State.DRAFT else None,
        "metrics": [(name, sentence_of(definition_of(name))) for name in experiment.metrics],
        "looks": experiment.get_looks_display(),
        "why_not": lifecycle.why_not(experiment) if experiment.state == State.DRAFT else "",
    }
    if mine and len(arms) > 1 and experiment.state != State.STOPPED:
        context |= how_to_wire(request, experiment, arms)
    if access.owns(request.user, experiment.site):
        context |= ask_systems(experiment.arms.all(), scope_of(experiment.site))
    return render(request, "judging/experiment.html", context)


def with_shares(arms: list[Arm]) -> list[tuple[Arm, float]]:
    total = sum(arm.weight for arm in arms)
    return [(arm, arm.weight / total) for arm in arms]


def how_to_wire(request: SignedIn, experiment: Experiment, arms: list[Arm]) -> dict[str, str]:
    key = experiment.site.keys.filter(revoked__isnull=True).first()
    shown = keys.key_text(key) if key else "w_…"
    address = public_address(request, reverse("assignment-list", args=["v1"])).removesuffix("assignments/")
    return {
        "curl": service_examples.curl(experiment, arms, address, shown),
        "javascript": service_examples.javascript(experiment, arms, address, shown),
        "python": service_examples.python(experiment, arms),
        "record": service_examples.record(experiment, arms),
    }


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("experiment")
def experiment_start(request: SignedIn, pk: int) -> HttpResponse:
    experiment = own_experiment_for(request.user, pk)
    if request.method == "POST":
        lifecycle.start(experiment, by=request.user)
        messages.success(request, _("It is running. Your site is told within a few seconds."))
        return redirect("experiment", pk)
    context = {"experiment": experiment, "site": experiment.site, "listed": listed_arms(experiment)}
    context["no_search"] = not Query.objects.filter(site=experiment.site).exists()
    return render(request, "judging/experiment_start.html", context | {"why_not": lifecycle.why_not(experiment)})


def listed_arms(experiment: Experiment) -> str:
    """The arms as a sentence names them: all that a list is made of, or one of those that somebody is given."""
    shares = with_shares(list(experiment.arms.all()))
    if experiment.interleaves:
        return get_text_list([arm.name for arm, _share in shares], _("and"))
    return get_text_list([f"{arm.name} ({100 * share:.0f} %)" for arm, share in shares], _("or"))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def experiment_stop(request: SignedIn, pk: int) -> HttpResponse:
    experiment = own_experiment_for(request.user, pk)
    if request.method != "POST":
        return render(request, "judging/experiment_stop.html", {"experiment": experiment, "site": experiment.site})
    if lifecycle.stop(experiment, by=request.user):
        messages.success(request, _("It has stopped. What was logged stays, and so does the report."))
    else:
        messages.error(request, _("It was not running."))
    return redirect("experiment", pk)


@login_required
@require_POST
def experiment_copy(request: SignedIn, pk: int) -> HttpResponse:
    copy = drafts.copy(own_experiment_for(request.user, pk), by=request.user)
    messages.success(request, _("A new draft, with the same arms and settings and a lot of its own."))
    return redirect("experiment_edit", copy.pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("experiment")
def experiment_delete(request: SignedIn, pk: int) -> HttpResponse:
    experiment = own_experiment_for(request.user, pk)
    if request.method != "POST":
        return render(request, "judging/experiment_delete.html", {"experiment": experiment, "site": experiment.site})
    drafts.delete(experiment, by=request.user)
    messages.success(request, _("The draft “%(experiment)s” is gone.") % {"experiment": experiment})
    return redirect("site_experiments", experiment.site_id)
