"""Hypotheses: asked once, with what matters said beforehand."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from ireval import BadMeasure, parse_measure
from judging.audit import Deed, note, quoted
from judging.errors import BadFields
from judging.models import Hypothesis, System, User, scope_fields


def measure_of_topics(name: str) -> str:
    """The measure by its usual name. It gives each topic a value of which more, or less, is better, and is their mean."""
    try:
        measure = parse_measure(name)
    except BadMeasure as why:
        raise BadFields(measure=str(why)) from None
    if measure.kind.only_over_all or measure.weight or measure.kind.better == "neither":
        valueless = _("%(measure)s has no value for each topic of which more, or less, is better.")
        raise BadFields(measure=valueless % {"measure": measure})
    return str(measure)


def refuse_beyond(measure: str, margin: float, *, field: str) -> None:
    """Refuse, at this field, a smallest difference that no two systems reach by the measure."""
    largest = parse_measure(measure).kind.largest_difference
    if margin > largest:
        text = _("No two systems lie further apart than %(largest)s by %(measure)s.")
        raise BadFields(**{field: text % {"largest": f"{largest:g}", "measure": measure}})


def refuse_unlike(a: System, b: System) -> None:
    """Refuse two systems that no evidence speaks of together."""
    if a == b:
        raise BadFields(b=_("Choose two systems."))
    if (a.collection_id, a.site_id) != (b.collection_id, b.site_id):
        raise BadFields(b=_("The two systems belong to different collections or sites: no evidence speaks of both."))


@transaction.atomic
def ask(a: System, b: System, *, by: User, expectations: dict[str, Any], alpha: float = 0.05, why: str = "") -> Hypothesis:
    """Ask whether B is better than A. The two are systems of one collection, or of one site."""
    refuse_unlike(a, b)
    hypothesis = Hypothesis.objects.create(a=a, b=b, created_by=by, expectations=expectations, alpha=alpha, why=why)
    note(Deed.CHANGED, f"asked whether {quoted(b)} is better than {quoted(a)}", by, **scope_fields(hypothesis.scope))
    return hypothesis
