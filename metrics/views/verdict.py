"""The verdict on two systems: asked, computed, shown, and taken away."""

from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_required
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from ireval_site.lists import Column, Filter, RowList, Search, people_of
from judging.access import (
    collection_for,
    hypotheses_for,
    hypothesis_for,
    own_collections_for,
    own_hypothesis_for,
    own_sites_for,
    owns,
    systems_for,
)
from judging.collections import hypotheses
from judging.database.numbers import number_in
from judging.forms.hypotheses import hypothesis_form, two_newest
from judging.models import Collection, Hypothesis, Qrels, User, scope_fields
from judging.requests import SignedIn
from metrics import pipeline
from metrics.downloads import attachment
from metrics.kinds.answers import earlier_answers
from metrics.kinds.glances import at_a_glance
from metrics.kinds.runs.next_judgements import judging_of
from metrics.kinds.verdict.costs import steps
from metrics.kinds.verdict.figures import forest
from metrics.kinds.verdict.files import exported
from metrics.kinds.verdict.next_steps import missing
from metrics.kinds.verdict.origins import origins
from metrics.kinds.verdict.parts import KIND, is_current, request_verdict
from metrics.kinds.verdict.results import SETTLED, VerdictResults
from metrics.kinds.verdict.topic import TopicEvidence, graded_source, topic_evidence
from metrics.kinds.verdict.words import cautions, in_one_sentence, sentence
from metrics.models import UNFINISHED, Report
from metrics.views.links import shared_links
from metrics.views.report_pages import progress

MOST_UNNAMED = 3
ANSWERS = {
    "settled": (gettext_lazy("Settled"), Q(state=Report.State.DONE, result__outcome__in=SETTLED)),
    "open": (gettext_lazy("Not settled"), Q(state=Report.State.DONE) & ~Q(result__outcome__in=SETTLED)),
    "failed": (gettext_lazy("Failed"), Q(state=Report.State.FAILED)),
    "computing": (gettext_lazy("Computing"), Q(state__in=UNFINISHED)),
}


def answered(hypotheses: QuerySet[Hypothesis], answer: str) -> QuerySet[Hypothesis]:
    return hypotheses.filter(Exists(Report.objects.filter(ANSWERS[answer][1], kind=KIND, hypothesis=OuterRef("pk"))))


VERDICTS = RowList(
    gettext_lazy("verdicts"),
    [
        Column(gettext_lazy("Verdict"), "name", "b__name"),
        Column(gettext_lazy("Figure"), hidden=True),
        Column(gettext_lazy("About")),
        Column(gettext_lazy("Asked by"), "by", "created_by__username"),
        Column(gettext_lazy("When"), "when", "created"),
        Column(gettext_lazy("What to do"), hidden=True),
    ],
    order="-when",
    search=Search(
        gettext_lazy("A name of a system, or of its collection or site"),
        ["a__name__icontains", "b__name__icontains", "a__collection__name__icontains", "a__site__name__icontains"],
    ),
    filters=[
        Filter("answer", gettext_lazy("Answer"), answered, [(key, label) for key, (label, _reports) in ANSWERS.items()]),
        Filter("by", gettext_lazy("Asked by"), "created_by"),
    ],
    a_page=30,
)


@login_required
@require_safe
def verdicts(request: SignedIn) -> HttpResponse:
    """The questions that were asked, the newest first, with what is known of each."""
    mine = hypotheses_for(request.user)
    listed = VERDICTS.page(mine, request.GET, by=people_of(mine, "created_by", request.user))
    latest = pipeline.latest_reports_of_each(KIND, listed)
    known = [(hypothesis, latest[hypothesis.pk]) for hypothesis in listed]
    told = {hypothesis: reports.report for hypothesis, reports in known if reports.report}
    says = {key: (sentence(report, request.user), at_a_glance(report, request.user)) for key, report in told.items()}
    rows = [(hypothesis, reports, *says.get(hypothesis, ("", ""))) for hypothesis, reports in known]
    context = {
        "listed": listed,
        "rows": rows,
        "settled": SETTLED,
        "enough": systems_for(request.user).count() > 1,
        "beginning": beginning(request.user),
    }
    return render(request, "metrics/verdicts.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def verdict_new(request: SignedIn) -> HttpResponse:
    systems = systems_for(request.user)
    pk = number_in(request.GET.get("collection", ""))
    if pk is not None:
        systems = systems.filter(collection=collection_for(request.user, pk))
    form = hypothesis_form(request.POST or None, user=request.user, systems=systems)
    if request.method == "POST" and form.is_valid():
        chosen = form.cleaned_data
        settings = {"expectations": form.expectations, "alpha": chosen["alpha"], "why": chosen["why"]}
        return redirect("verdict", hypotheses.ask(chosen["a"], chosen["b"], by=request.user, **settings).pk)
    if request.method != "POST":
        form.initial.update({name: system.pk for name, system in two_newest(systems).items()})
        form.initial.update({name: number_in(request.GET[name]) for name in ("a", "b") if name in request.GET})
    status = 422 if form.errors else 200
    context = {
        "form": form,
        "enough": systems.count() > 1,
        "beginning": beginning(request.user),
        "unnamed": unnamed(request.user),
    }
    return render(request, "metrics/verdict_new.html", context, status=status)


def unnamed(user: User) -> QuerySet[Collection]:
    """The newest of the user's collections with runs of which nobody has said yet of which system they are, and how many."""
    collections = own_collections_for(user).filter(runs__version=None, runs__isnull=False)
    return collections.annotate(unnamed=Count("runs")).order_by("-pk")[:MOST_UNNAMED]


def beginning(user: User) -> tuple[str, str]:
    """Where somebody without two systems gets them, and what to do there: name those of their own, or import runs."""
    collections, sites = own_collections_for(user).order_by("-pk"), own_sites_for(user).order_by("-pk")
    if collection := collections.filter(runs__isnull=False).first():
        return reverse("collection_systems", args=[collection.pk]), _("Name the systems of %(scope)s") % {"scope": collection}
    if site := sites.filter(experiments__isnull=False).first():
        return reverse("site_systems", args=[site.pk]), _("Name the systems of %(scope)s") % {"scope": site}
    if collection := collections.first():
        return reverse("upload_new", args=[collection.pk]), _("Import runs into %(collection)s") % {"collection": collection}
    return reverse("collection_new"), _("New collection")


@login_required
@require_safe
@vary_on_headers("HX-Request")
def verdict(request: SignedIn, pk: int) -> HttpResponse:
    """Show the newest verdict; whoever opens the page first asks for the first one."""
    hypothesis = hypothesis_for(request.user, pk)
    latest = pipeline.looked_at(KIND, hypothesis, partial(request_verdict, hypothesis))
    context: dict[str, Any] = {
        "hypothesis": hypothesis,
        "owned": owns(request.user, hypothesis),
        "scope": scope_fields(hypothesis.scope),
        **latest._asdict(),
    }
    if waiting := progress(request, context):
        return waiting
    if latest.failed:
        context["missing"] = missing(hypothesis)
    if latest.report:
        results = VerdictResults(latest.report)
        context |= {"results": results, "steps": steps(results, request.user), "is_current": is_current(latest.report)}
        context |= {"earlier": earlier_answers(latest.report, request.user)}
        context |= answer(results, origins(latest.report, request.user))
        context |= shared_links(request, hypothesis=hypothesis)
    return render(request, "metrics/verdict.html", context)


def answer(results: VerdictResults, origins: dict[str, str]) -> dict[str, Any]:
    """The sentence and its figure, as its page and a shared one show them; a shared one leads nowhere."""
    figure = forest(results, origins)
    return {"sentence": in_one_sentence(results), "cautions": cautions(results), "figure": figure, "origins": origins}


@login_required
@require_safe
def verdict_topic(request: SignedIn, pk: int) -> HttpResponse:
    """Show both rankings of a topic with what each kind of evidence says of it."""
    hypothesis = hypothesis_for(request.user, pk)
    report, number = pipeline.latest_reports(KIND, hypothesis).report, request.GET.get("topic", "")
    results = report and VerdictResults(report)
    evidence = results and topic_evidence(results, number)
    if not results or not evidence:
        raise Http404("No two kinds of evidence speak of this topic.")
    numbers = results.apart["topic"].to_list()
    place = numbers.index(number)
    context = {
        "hypothesis": hypothesis,
        "evidence": evidence,
        "title": results.titles([number]).get(number, ""),
        "is_current": is_current(results.report),
        "previous": numbers[place - 1] if place else None,
        "next": numbers[place + 1] if place + 1 < len(numbers) else None,
        **to_judge(results, evidence, request.user),
    }
    return render(request, "metrics/verdict_topic.html", context)


def to_judge(results: VerdictResults, evidence: TopicEvidence, user: User) -> dict[str, Any]:
    """What the page needs to have the topic's unjudged documents judged."""
    unjudged, graded = evidence.unjudged, graded_source(results.report)
    if not unjudged or not graded:
        return {}
    qrels = Qrels.objects.get(pk=graded["qrels"])
    return {
        "unjudged": [{"topic": evidence.number, "docno": result.docno} for result in unjudged],
        **judging_of(len(unjudged), qrels=qrels, user=user),
        "collection": qrels.collection_id,
        "compared": [graded["b"], graded["a"]],
    }


@login_required
@require_POST
def verdict_again(request: SignedIn, pk: int) -> HttpResponse:
    request_verdict(own_hypothesis_for(request.user, pk))
    return redirect("verdict", pk)


@login_required
@require_safe
def verdict_bundle(request: SignedIn, pk: int) -> HttpResponse:
    """The newest verdict with its evidence, as `ireval verdict` and `ireval reproduce` read it."""
    hypothesis = hypothesis_for(request.user, pk)
    report = pipeline.latest_reports(KIND, hypothesis).report
    if report is None:
        return redirect("verdict", pk)
    return attachment(exported(report, by=request.user), "application/zip", f"verdict-{slugify(str(hypothesis)) or pk}.zip")
