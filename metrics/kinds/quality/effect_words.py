"""What a study's labels mean for its systems, in words."""

from collections.abc import Sequence
from statistics import median

from django.utils.translation import gettext as _

from judging.labels.aggregation import MAJORITY
from judging.text.library_words import in_reader_language
from metrics.kinds.quality.systems import Effect, title_of
from metrics.sentences import decimal

# A smaller share of an interval's width is worth no mention.
NEXT_TO_NOTHING = 0.01


def in_words(effect: Effect) -> list[str]:
    """Say what the labels mean for the systems, one sentence each."""
    return [what_workers_add(effect), *how_orders_differ(effect)]


def what_workers_add(effect: Effect) -> str:
    if effect.undefined:
        reason = {"reason": in_reader_language(effect.undefined)}
        return _("What the workers add to the uncertainty cannot be told: %(reason)s.") % reason
    shares = sorted(system.widening for system in effect.systems if system.widening is not None)
    if not shares:
        return _("Every topic has the same value, so that the intervals have no width.")
    middle = median(shares)
    if middle < NEXT_TO_NOTHING:  # below 0 by the chance of resampling alone
        return _("That others might have judged adds next to nothing to the width of the intervals.")
    shown = {"share": middle, "least": shares[0], "most": shares[-1]}
    width = {name: decimal(100 * share, 0) for name, share in shown.items()}
    return (width_added() if len(shares) == 1 else widths_added()) % width


def width_added() -> str:
    return _(
        "Workers add %(share)s %% to the width of the interval: so much less sure are the means if others might have judged."
    )


def widths_added() -> str:
    return _(
        "Workers add %(share)s %% to the width of the interval (%(least)s to %(most)s %%, by system): so much less sure are the "
        "means if others might have judged."
    )


def how_orders_differ(effect: Effect) -> list[str]:
    if len(effect.systems) < 2:
        return []
    first = effect.methods.index(MAJORITY)
    usual = places(effect, first)
    sentences = [how_it_differs(effect, usual, s) for s in range(len(effect.methods)) if places(effect, s) != usual]
    return sentences or [_("Every way to settle puts the systems in the same order.")]


def how_it_differs(effect: Effect, usual: Sequence[int], s: int) -> str:
    title, now = title_of(effect.methods[s]), places(effect, s)
    best = [place for place, was in enumerate(usual) if was <= 2]
    if [usual[place] for place in best] == [1, 2] and [now[place] for place in best] == [2, 1]:
        two = dict(zip(("first", "second"), (effect.systems[place].name for place in best), strict=True))
        text = _("%(method)s: the two best by majority, “%(first)s” and “%(second)s”, change places.")
        return text % {"method": title, **two}
    lost = [after - before for before, after in zip(usual, now, strict=True)]
    worst = lost.index(max(lost))
    if lost[worst] <= 0:
        return _("%(method)s: systems that tie by majority are told apart, or the other way round.") % {"method": title}
    fall = {"method": title, "system": effect.systems[worst].name, "before": usual[worst], "after": now[worst]}
    return _("%(method)s: “%(system)s” falls from place %(before)s by majority to %(after)s.") % fall


def places(effect: Effect, s: int) -> list[int]:
    return [system.under[s][1] for system in effect.systems]
