"""Readings of the coefficients: what each says and, where one is published, a rule of thumb with its source."""

from typing import Any

from ireval.agreement import LEAST_IN_COMMON
from judging.models import User
from metrics.kinds.quality.results import Coefficient, coefficients_in
from metrics.kinds.studies import not_people, summary
from metrics.models import Report
from metrics.sentences import as_sentence, count

THUMB_KAPPA = "By a rule of thumb .41 to .60 is moderate and .61 to .80 substantial."
THUMB_ALPHA = (
    "By a rule of thumb labels are relied on from .800 on, and taken as tentative from .667 on. "
    "Systems can be told apart with less."
)
COHEN = "Two workers’ agreement beyond what their habits alone would give: 0 is chance, 1 always the same."
QUADRATIC = f"{COHEN} A disagreement weighs the square of its distance on the scale."
READING = {
    "percent": "Of all pairs of votes on the same item, the share that is the same. Chance alone gives a part of it, the more "
    "the fewer grades are used.",
    "cohen": f"{COHEN} {THUMB_KAPPA}",
    "cohen-quadratic": QUADRATIC,
    "cohen-mean": f"{COHEN} Each pair with at least {LEAST_IN_COMMON} items in common counts the same. {THUMB_KAPPA}",
    "cohen-mean-quadratic": QUADRATIC,
    "fleiss": "Agreement of all beyond chance, where every item has the same number of votes.",
    "alpha-nominal": "1 less observed over expected disagreement, for any number of votes; all disagreements weigh alike.",
    "alpha-ordinal": "The same with grades in order: the further apart two votes, the more they disagree. The one to report for "
    f"grades. {THUMB_ALPHA}",
}
VOTES = "Votes are those that decide on grades: without surplus, checks, “can’t judge” and workers who are excluded."


def convention(coefficients: list[Coefficient]) -> str:
    """Say how the intervals came about, and where they may be too narrow."""
    topics = max((coefficient.topics for coefficient in coefficients), default=0)
    drawn = f"the {topics} topics" if topics else "items"
    how = (
        f"95 % intervals: {drawn} drawn again 1,000 times, percentiles expanded for few of them; of the mean over pairs of "
        "workers, the standard error of that."
    )
    return " ".join(filter(None, [how, caution(coefficients), VOTES]))


def caution(coefficients: list[Coefficient]) -> str:
    """Say that the intervals may be too narrow, by the coefficient to report; empty where they are not."""
    return as_sentence(coefficients[-1].caution) if coefficients else ""


def undefined(coefficient: Coefficient) -> str:
    return f"Undefined because {coefficient.undefined}." if coefficient.undefined else ""


def advice(coefficients: list[Coefficient], *, workers: int) -> str:
    """Say what to do where no agreement can be measured; empty where it can."""
    if any(coefficient.value is not None for coefficient in coefficients):
        return ""
    if not coefficients:
        return "No judgement has a vote: all are surplus, “can’t judge”, checks or by workers who are excluded."
    if workers > 1 and all(alpha.items == 0 for alpha in coefficients if alpha.name.startswith("alpha")):
        return (
            "Each item has one vote, so that nobody can agree or disagree. Order two or more judgements per item in the next "
            "study; in this one, gold among the work can tell how often workers are right."
        )
    return "More workers, or more than one judgement per item, are needed to tell how far they agree."


def sentence(report: Report, user: User) -> str:
    """Say how far workers agree, by the coefficient to report for grades; before it, whether votes are simulated."""
    about = summary(report)["agreement"]
    return " ".join(filter(None, [not_people(about), in_one_sentence(about), caution(coefficients_in(about))]))


def in_one_sentence(about: dict[str, Any]) -> str:
    coefficients = coefficients_in(about)
    agreement = advice(coefficients, workers=about["workers"]) or in_words(coefficients[-1])
    counted = f"n = {count(about['votes'], 'vote')} by {count(about['workers'], 'worker')} on {count(about['items'], 'item')}."
    return f"{agreement} {counted}"


def cautions(about: dict[str, Any]) -> list[str]:
    """What a reader could get wrong, one sentence each."""
    return [text for text in (not_people(about), caution(coefficients_in(about))) if text]


def in_words(coefficient: Coefficient) -> str:
    value, low, high, title = coefficient.value, coefficient.low, coefficient.high, coefficient.title
    if value is None:
        return undefined(coefficient)
    ends = "" if low is None or high is None else f" (95 % interval {low:.3f} to {high:.3f})"
    return f"{title[0].upper()}{title[1:]} is {value:.3f}{ends}."
