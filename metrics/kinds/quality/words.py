"""Readings of the coefficients: what each says and, where one is published, a rule of thumb with its source."""

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from ireval.agreement import LEAST_IN_COMMON
from judging.models import User
from judging.text.counts import count
from judging.text.library_words import in_reader_language
from metrics.kinds.quality.results import Coefficient, coefficients_in
from metrics.kinds.studies import not_people, summary
from metrics.models import Report
from metrics.sentences import as_sentence, capitalised, decimal

COHEN = _("Two workers’ agreement beyond what their habits alone would give: 0 is chance, 1 always the same.")
THUMB_KAPPA = _("By a rule of thumb .41 to .60 is moderate and .61 to .80 substantial.")
THUMB_ALPHA = _(
    "By a rule of thumb grades are relied on from .800 on, and taken as tentative from .667 on. "
    "Systems can be told apart with less."
)
QUADRATIC = _("A disagreement weighs the square of its distance on the scale.")
READING = {
    "percent": [
        _(
            "Of all pairs of votes on the same item, the share that is the same. Chance alone gives a part of it, the more "
            "the fewer grades are used."
        )
    ],
    "cohen": [COHEN, THUMB_KAPPA],
    "cohen-quadratic": [COHEN, QUADRATIC],
    "cohen-mean": [COHEN, _("Each pair with at least %(least)s items in common counts the same."), THUMB_KAPPA],
    "cohen-mean-quadratic": [COHEN, QUADRATIC],
    "fleiss": [_("Agreement of all beyond chance, where every item has the same number of votes.")],
    "alpha-nominal": [_("1 less observed over expected disagreement, for any number of votes; all disagreements weigh alike.")],
    "alpha-ordinal": [
        _("The same with grades in order: the further apart two votes, the more they disagree. The one to report for grades."),
        THUMB_ALPHA,
    ],
}


def reading(coefficient: Coefficient) -> str:
    return " ".join(map(str, READING[coefficient.name])) % {"least": LEAST_IN_COMMON}


def convention(coefficients: list[Coefficient]) -> str:
    """Say how the intervals came about, and where they may be too narrow."""
    topics = max((coefficient.topics for coefficient in coefficients), default=0)
    how = drawn_topics(topics) if topics else drawn_items()
    votes = gettext("Votes are those that decide on grades: without surplus, checks, “can’t judge” and workers who are excluded.")
    return " ".join(filter(None, [how, caution(coefficients), votes]))


def drawn_topics(topics: int) -> str:
    return gettext(
        "95 %% intervals: the %(topics)s topics drawn again 1,000 times, percentiles expanded for few of them; of the mean over "
        "pairs of workers, the standard error of that."
    ) % {"topics": topics}


def drawn_items() -> str:
    return gettext(
        "95 % intervals: items drawn again 1,000 times, percentiles expanded for few of them; of the mean over pairs of workers, "
        "the standard error of that."
    )


def caution(coefficients: list[Coefficient]) -> str:
    """Say that the intervals may be too narrow, by the coefficient to report; empty where they are not."""
    return as_sentence(in_reader_language(coefficients[-1].caution)) if coefficients else ""


def undefined(coefficient: Coefficient) -> str:
    if not coefficient.undefined:
        return ""
    return gettext("Undefined because %(reason)s.") % {"reason": in_reader_language(coefficient.undefined)}


def advice(coefficients: list[Coefficient], *, workers: int) -> str:
    """Say what to do where no agreement can be measured; empty where it can."""
    if any(coefficient.value is not None for coefficient in coefficients):
        return ""
    if not coefficients:
        return gettext("No judgement has a vote: all are surplus, “can’t judge”, checks or by workers who are excluded.")
    if workers > 1 and all(alpha.items == 0 for alpha in coefficients if alpha.name.startswith("alpha")):
        return gettext(
            "Each item has one vote, so that nobody can agree or disagree. Order two or more judgements per item in the next "
            "study; in this one, gold among the work can tell how often workers are right."
        )
    return gettext("More workers, or more than one judgement per item, are needed to tell how far they agree.")


def sentence(report: Report, user: User) -> str:
    """Say how far workers agree, by the coefficient to report for grades; before it, whether votes are simulated."""
    about = summary(report)["agreement"]
    return " ".join(filter(None, [not_people(about), in_one_sentence(about), caution(coefficients_in(about))]))


def in_one_sentence(about: dict[str, Any]) -> str:
    coefficients = coefficients_in(about)
    agreement = advice(coefficients, workers=about["workers"]) or in_words(coefficients[-1])
    counts = {noun: count(about[f"{noun}s"], noun) for noun in ("vote", "worker", "item")}
    return f"{agreement} {gettext('n = %(vote)s by %(worker)s on %(item)s.') % counts}"


def cautions(about: dict[str, Any]) -> list[str]:
    """What a reader could get wrong, one sentence each."""
    return [text for text in (not_people(about), caution(coefficients_in(about))) if text]


def in_words(coefficient: Coefficient) -> str:
    value, low, high, title = coefficient.value, coefficient.low, coefficient.high, in_reader_language(coefficient.title)
    if value is None:
        return undefined(coefficient)
    about = {"coefficient": capitalised(title), "value": decimal(value)}
    if low is None or high is None:
        return gettext("%(coefficient)s is %(value)s.") % about
    ends = {"low": decimal(low), "high": decimal(high)}
    return gettext("%(coefficient)s is %(value)s (95 %% interval %(low)s to %(high)s).") % {**about, **ends}
