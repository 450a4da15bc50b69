"""The researcher's side of a study: drafting, launching, watching."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval_site.addresses import public_address
from ireval_site.lists import Column, Filter, RowList, Search
from judging.access import adjudicable_studies_for, collection_for, collections_for, studies_for, study_for
from judging.collections.deletion import delete_study, refuse_if_judged
from judging.database.numbers import number_in
from judging.forms.pairs import PairStudyForm
from judging.forms.studies import ChooseCollection, InviteForm, StudyForm
from judging.labels.study_progress import judged_slots, kept_since, overviews, people_who_judged, progress
from judging.models import Invite, Study
from judging.recruiting import invites
from judging.requests import SignedIn
from judging.studies import launch
from judging.studies.additions import contents_of, why_not
from judging.studies.pair_plan import PairPlan
from judging.studies.pool_plan import PoolPlan
from judging.studies.starter import INSTRUCTIONS, PAIR_INSTRUCTIONS
from judging.studies.translations import LANGUAGES
from judging.studies.wanted_votes import with_more
from judging.views import channels
from judging.views.plan import plan_context, settings_asked, what_if
from judging.views.preview import sample
from judging.views.refusals import refusals_on
from judging.work.enquiries import open_enquiries

SIDE_BY_SIDE = Study.Kind.SIDE_BY_SIDE
MOST_ADDITIONS = 50  # the newest, on a page
MOVES = {
    "pause": launch.pause,
    "resume": launch.resume,
    "close": launch.close,
    "archive": launch.archive,
    "restore": launch.restore,
}


def archived_or_not(studies: QuerySet[Study], wanted: str) -> QuerySet[Study]:
    return studies if wanted == "all" else studies.filter(archived__isnull=wanted != "1")


STUDIES = RowList(
    gettext_lazy("studies"),
    [
        Column(gettext_lazy("Study"), "name"),
        Column(gettext_lazy("Collection"), "collection", "collection__name"),
        Column(gettext_lazy("State"), "state"),
        Column(gettext_lazy("Items"), "items", "pool_counts__items", num=True, gaps=True),
        Column(gettext_lazy("Judgements"), "judged", judged_slots(), gaps=True),
        Column(gettext_lazy("Workers"), "workers", people_who_judged(), num=True, gaps=True),
        Column(gettext_lazy("Made"), "made", "created"),
    ],
    order="-made",
    search=Search(gettext_lazy("Name"), ["name__icontains"]),
    filters=[
        Filter("state", gettext_lazy("State"), "state", Study.State.choices),
        Filter("kind", gettext_lazy("Kind"), "kind", Study.Kind.choices),
        Filter("collection", gettext_lazy("Collection"), "collection"),
        Filter(
            "archived",
            gettext_lazy("Archived"),
            archived_or_not,
            [("1", gettext_lazy("Archived")), ("all", gettext_lazy("All"))],
            all=gettext_lazy("Not archived"),
            always=True,
        ),
    ],
)


@login_required
@require_safe
def studies(request: SignedIn) -> HttpResponse:
    mine, readable = studies_for(request.user), collections_for(request.user)
    with_studies = readable.filter(pk__in=mine.order_by().values("collection")).order_by("name").values_list("pk", "name")
    listed = STUDIES.page(mine.select_related("collection"), request.GET, collection=with_studies)
    context = {
        "listed": listed,
        "rows": overviews(listed),
        "archived": mine.filter(archived__isnull=False).exists(),
        "has_collections": readable.exists(),
        "others": adjudicable_studies_for(request.user).exclude(pk__in=mine.order_by().values("pk"))[:20],
    }
    return render(request, "judging/studies.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: SignedIn) -> HttpResponse:
    pk = number_in(request.GET.get("collection", ""))
    if pk is None:
        return render(request, "judging/study_choose.html", {"form": ChooseCollection(user=request.user)})
    collection = collection_for(request.user, pk)
    draft, initial = Study(collection=collection, created_by=request.user), {"runs": collection.runs.all()}
    if request.GET.get("kind") == Study.Kind.SIDE_BY_SIDE:
        draft.kind, draft.instructions, draft.overlap, draft.seconds_a_judgement = SIDE_BY_SIDE, PAIR_INSTRUCTIONS, 4, 60
        name = _("%(collection)s side by side") % {"collection": collection.name}
    else:
        draft.instructions, name = INSTRUCTIONS, _("%(collection)s study") % {"collection": collection.name}
    form = form_of(draft)(request.POST or None, instance=draft, collection=collection, initial=initial | {"name": name[:120]})
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            study = form.save()
            study.members.add(request.user)
        return redirect("study", study.pk)
    return render(request, template_of(draft), {"form": form, "collection": collection})


def form_of(study: Study) -> type[StudyForm | PairStudyForm]:
    return PairStudyForm if study.compares else StudyForm


def template_of(study: Study) -> str:
    return "judging/pair_study_form.html" if study.compares else "judging/study_form.html"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@transaction.atomic
def study_edit(request: SignedIn, pk: int) -> HttpResponse:
    """The row is held meanwhile: a launch in another tab must not be undone by saving the draft."""
    study_for(request.user, pk)
    study = Study.objects.select_for_update(of=("self",)).select_related("collection").get(pk=pk)
    if study.is_launched:
        messages.error(request, _("A launched study can't be changed: its workers have been promised what it says."))
        return redirect("study", pk)
    form = form_of(study)(request.POST or None, instance=study, collection=study.collection, initial=settings_asked(request))
    if request.method == "POST" and form.is_valid():
        form.save()
        return redirect("study", pk)
    return render(request, template_of(study), {"form": form, "collection": study.collection, "study": study})


@login_required
@require_safe
def study(request: SignedIn, pk: int) -> HttpResponse:
    """A draft with what launching it would ask for, or a launched study with its progress."""
    study = study_for(request.user, pk)
    if not study.is_launched:
        return render(request, "judging/study_draft.html", plan_context(study))
    context = {"study": study, "progress": (so_far := progress(study))}
    if so_far.is_complete or study.state == Study.State.CLOSED:
        context["kept"] = kept_since(study, so_far.last)
    if request.htmx:
        return render(request, "judging/_study_progress.html", context)
    if study.pool_counts.get("added"):
        additions = contents_of(study.additions.select_related("by")[:MOST_ADDITIONS])
        context |= {"additions": additions, "why_not_back": why_not(study)}
    context |= {"links": links(request, study), "runs": study.runs.all(), "open_enquiries": open_enquiries(study)}
    context["with_more"] = with_more(study)
    context |= channels.channels_of_study(request, study)
    return render(request, "judging/study.html", context)


def links(request: SignedIn, study: Study) -> list[dict]:
    """The study's open invite links with their addresses and how many came by each."""
    rows = []
    for link in study.invites.filter(revoked__isnull=True).annotate(came=Count("workers")):
        token = invites.token_of(link)
        url = public_address(request, reverse("follow_invite", args=[token])) if token else None
        rows.append({"link": link, "url": url, "workers": link.came})
    return rows


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("study")
def study_launch(request: SignedIn, pk: int) -> HttpResponse:
    """What the launch will ask for, to be confirmed or tried otherwise; what cannot be launched says so on its own page."""
    study = study_for(request.user, pk)
    if request.method != "POST":
        context = {} if study.is_launched else what_if(request, study)
        launchable = context and context["plan"].items
        return render(request, "judging/study_launch.html", context) if launchable else redirect("study", pk)
    launched = launch.launch(study, by=request.user, paused="paused" in request.POST)
    if not study.invites.exists():
        invites.invite(study, by=request.user)
    ordered = {"ordered": ordered_text(study, launched)}
    if "paused" in request.POST:
        paused = _("Launched, but paused: %(ordered)s. Make the checks, then resume the study on its first page.")
        messages.success(request, paused % ordered)
        return redirect("study_checks", pk)
    else:
        messages.success(request, _("Launched: %(ordered)s. Send the link to your workers.") % ordered)
    return redirect("study", pk)


def ordered_text(study: Study, launched: PoolPlan | PairPlan) -> str:
    """What a launch has ordered, as a phrase."""
    counts = {"judgements": launched.judgements, "items": len(launched.items)}
    if study.compares:
        return _("%(judgements)s judgements of %(items)s pairs of lists") % counts
    return _("%(judgements)s judgements of %(items)s documents") % counts


@login_required
@require_POST
def study_move(request: SignedIn, pk: int, action: str) -> HttpResponse:
    MOVES[action](study_for(request.user, pk), by=request.user)
    return redirect("study", pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("study")
def study_delete(request: SignedIn, pk: int) -> HttpResponse:
    """A study in which nobody has judged can go; one with judgements holds people's work and stays."""
    study = study_for(request.user, pk)
    if request.method != "POST":
        refuse_if_judged(study)
        return render(request, "judging/study_delete.html", {"study": study, "workers": study.workers.count()})
    delete_study(study, by=request.user)
    messages.success(request, _("Deleted the study “%(name)s”.") % {"name": study.name})
    return redirect("studies")


@login_required
@require_POST
def invite_new(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    if not study.is_launched:
        messages.error(request, _("Launch the study first: a link to a draft leads nowhere."))
        return redirect("study", pk)
    form = InviteForm(request.POST)
    if form.is_valid():
        invites.invite(study, by=request.user, **form.cleaned_data)
    else:
        messages.error(request, _("No link was made. %(why)s") % {"why": form.errors["label"][0]})
    return redirect("study", pk)


@login_required
@require_POST
def invite_revoke(request: SignedIn, pk: int, invite_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    invites.revoke(get_object_or_404(Invite, pk=invite_pk, study=study), by=request.user)
    messages.success(request, _("Nobody new comes in by that link. Workers who came by it go on."))
    return redirect("study", pk)


@login_required
@require_safe
def study_preview(request: SignedIn, pk: int) -> HttpResponse:
    """The judge page as a worker will see it, in `?language=`; nothing that is pressed on it is sent."""
    study = study_for(request.user, pk)
    asked = request.GET.get("language", "")
    with translation.override(asked if asked in LANGUAGES else translation.get_language()):
        return render(request, "judging/study_preview.html", {"study": study, "shown": sample(study), "done": 0, "items": 0})
