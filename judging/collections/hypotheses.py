"""Hypotheses: asked once, with what matters said beforehand."""

from typing import Any

from django.db import transaction

from judging.audit import Deed, note, quoted
from judging.errors import Impossible
from judging.models import Collection, Hypothesis, System, User


class CannotAsk(Impossible):
    """Why it cannot be asked; the text says what to change."""


@transaction.atomic
def ask(a: System, b: System, *, by: User, expectations: dict[str, Any], alpha: float = 0.05, why: str = "") -> Hypothesis:
    """Ask whether B is better than A. The two are systems of one collection, or of one site."""
    if a == b:
        raise CannotAsk("Choose two systems.")
    if (a.collection_id, a.site_id) != (b.collection_id, b.site_id):
        raise CannotAsk("The two systems belong to different collections or sites: no evidence speaks of both.")
    hypothesis = Hypothesis.objects.create(a=a, b=b, created_by=by, expectations=expectations, alpha=alpha, why=why)
    scope = hypothesis.scope
    of = {"collection": scope} if isinstance(scope, Collection) else {"site": scope}
    note(Deed.CHANGED, f"asked whether {quoted(b)} is better than {quoted(a)}", by, **of)
    return hypothesis
