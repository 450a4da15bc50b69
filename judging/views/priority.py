"""Priority: the documents of a study that are judged before all others."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from judging.access import graded_for
from judging.database.numbers import number_in
from judging.forms.priority import PriorityForm
from judging.models import Item, Study
from judging.views.who import SignedIn
from judging.work.priority import prioritise


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_first(request: SignedIn, pk: int) -> HttpResponse:
    study = graded_for(request.user, pk)
    if "no_longer" in request.POST:
        return end_priority(request, study)
    form = PriorityForm(request.POST if request.method == "POST" else None, study=study)
    if request.method == "POST" and form.is_valid():
        count = prioritise(study, form.cleaned_data["lines"])
        messages.success(request, f"{count} more document{'' if count == 1 else 's'} to be judged first.")
        return redirect("study_first", pk)
    urgent = study.items.filter(urgent=True).select_related("topic", "document").order_by("position")
    counted = urgent.annotate(
        judged=Count("slots", filter=Q(slots__number__isnull=False, slots__judged_at__isnull=False)),
        places=Count("slots", filter=Q(slots__number__isnull=False)),
    )
    context = {"study": study, "form": form, "page": Paginator(counted, 50).get_page(request.GET.get("page"))}
    return render(request, "judging/study_first.html", context)


def end_priority(request: SignedIn, study: Study) -> HttpResponse:
    """No longer first: one item, or all of them."""
    key = number_in(request.POST["no_longer"])
    items = Item.objects.filter(study=study, urgent=True, **({"pk": key} if key is not None else {}))
    count = prioritise(study, items.values_list("pk", flat=True), urgent=False)
    messages.success(request, f"{count} document{' takes its' if count == 1 else 's take their'} turn again.")
    return redirect("study_first", study.pk)
