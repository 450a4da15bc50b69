"""One thing done to several rows of a list: ticked ones, or all that match. A page in between says to how many and what."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from ireval_site.lists import MOST, ListPage, Words
from judging.database.numbers import number_in
from judging.errors import Impossible
from judging.models import Study
from judging.requests import SignedIn

MOST_NAMED = 20  # rows that the page in between names


@dataclass(frozen=True)
class BulkAction:
    """What can be done to several rows of a study. `do` is a verb that does it to all of them or to none."""

    name: str
    label: Words
    does: Words  # in words, of all rows
    do: Callable[..., str]  # says what it did
    able: Callable[[QuerySet[Any]], QuerySet[Any]]  # the rows to which it means something
    others: Words  # what is said of a row to which it means nothing
    name_of: Callable[[Any], str] = str
    form: Callable[..., forms.BaseForm] | None = None
    danger: bool = False
    most: int = MOST
    offered: Callable[[Study], bool] = lambda study: True


def offered(actions: Sequence[BulkAction], study: Study) -> list[BulkAction]:
    return [action for action in actions if action.offered(study)]


def bulk(
    request: SignedIn,
    study: Study,
    listed: ListPage[Any],
    actions: Sequence[BulkAction],
    *,
    counted: Callable[[int], str],
    back: str,
) -> HttpResponse:
    """Show what would happen to the rows that were chosen; once that is confirmed, do it to these very rows. `counted` says how
    many rows there are."""
    action = next((each for each in offered(actions, study) if each.name == request.POST.get("action")), None)
    if action is None:
        raise Http404("There is no such action.")
    back = f"{back}{listed.address}"
    keys = chosen(request, listed)
    rows = listed.matching.model._default_manager.filter(pk__in=keys).filter(pk__in=listed.everything.values("pk"))
    able = action.able(rows).order_by("pk")
    count = able.count()
    if not 0 < count <= action.most:
        messages.error(request, too_many(action, counted(count)) if count else nothing_chosen(action, len(keys), listed.noun))
        return redirect(back)
    confirmed = "confirmed" in request.POST
    form = action.form(request.POST if confirmed else None, study=study) if action.form else None
    if confirmed and (form is None or form.is_valid()):
        try:
            messages.success(request, action.do(study, able, by=request.user, **(form.cleaned_data if form else {})))
        except Impossible as refusal:
            messages.error(request, str(refusal))
        return redirect(back)
    context = {
        "study": study,
        "listed": listed,
        "action": action,
        "names": ", ".join(action.name_of(row) for row in able[:MOST_NAMED]),
        "counted": counted(count),
        "more": max(count - MOST_NAMED, 0),
        "left_out": len(keys) - count,
        "keys": ",".join(map(str, able.values_list("pk", flat=True))),
        "form": form,
        "back": back,
    }
    return render(request, "judging/bulk.html", context, status=422 if form and form.errors else 200)


def nothing_chosen(action: BulkAction, chosen_rows: int, noun: str) -> str:
    if chosen_rows:
        return _("Nothing was done. Each of them %(why)s.") % {"why": action.others}
    return _("Nothing was done. Tick %(noun)s first, or choose all that match.") % {"noun": noun}


def too_many(action: BulkAction, rows: str) -> str:
    most = f"{action.most:,}"
    return _("Nothing was done. These are %(rows)s; at most %(most)s go at once.") % {"rows": rows, "most": most}


def chosen(request: SignedIn, listed: ListPage[Any]) -> list[int]:
    """The keys of the rows that were ticked, of all that match, or of those that the page in between has named."""
    if "keys" in request.POST:
        texts = request.POST["keys"].split(",")
    elif "all" in request.POST:
        return list(listed.matching.order_by("pk").values_list("pk", flat=True)[:MOST])
    else:
        texts = request.POST.getlist("row")
    numbers = (number_in(text) for text in texts[:MOST])
    return sorted({number for number in numbers if number is not None})
