"""Cautions about grades, whatever is computed from them: few documents have one, or no person gave them."""

from django.utils.translation import gettext as _

from judging.models import Qrels


def about_sparse(qrels: Qrels, *, condensed: bool = False) -> str:
    if not qrels.sparse:
        return ""
    if condensed:
        text = _("“%(qrels)s” is sparse: a relevant document may be missing from it and is left out here, for every run.")
    else:
        text = _(
            "“%(qrels)s” is sparse: a relevant document may be missing from it and counts as not relevant here, for every run."
        )
    return text % {"qrels": qrels}


def about_simulated(qrels: Qrels) -> str:
    if not qrels.simulated_judgements:
        return ""
    if machine := qrels.recipe.get("machine"):
        text = _("“%(qrels)s”: the machine judge %(machine)s gave all of its grades, and no person did.")
        return text % {"qrels": qrels, "machine": machine}
    simulated, made = f"{qrels.simulated_judgements:,}", qrels.recipe.get("judgements")
    if not made:
        text = _("“%(qrels)s”: %(n)s judgements are simulated, made by a program and not by people.")
        return text % {"qrels": qrels, "n": simulated}
    text = _("“%(qrels)s”: %(n)s of %(made)s judgements are simulated, made by a program and not by people.")
    return text % {"qrels": qrels, "n": simulated, "made": f"{made:,}"}
