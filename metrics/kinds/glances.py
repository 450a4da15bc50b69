"""The answer of a report at a glance: the figure that its page opens with, or of runs their means, small enough for a list."""

from collections.abc import Callable, Mapping

from django.utils.safestring import SafeString

from judging.models import User
from metrics.figures.intervals import Intervals, Mark, around, glance, known
from metrics.kinds.ab import figures as ab_figures
from metrics.kinds.ab.results import ABResults
from metrics.kinds.clicks import figures as click_figures
from metrics.kinds.clicks.results import ClickResults
from metrics.kinds.interleaving import figures as interleaving_figures
from metrics.kinds.interleaving.results import InterleavingResults
from metrics.kinds.preferences import figures as preference_figures
from metrics.kinds.preferences.words import results_of
from metrics.kinds.quality.figures import agreement
from metrics.kinds.quality.results import coefficients_in
from metrics.kinds.runs.results import best_first, outcomes
from metrics.kinds.runs.values import main_measure
from metrics.kinds.runs.words import mean_in_words
from metrics.kinds.studies import summary
from metrics.kinds.verdict.figures import forest
from metrics.kinds.verdict.results import VerdictResults
from metrics.models import Report


def at_a_glance(report: Report, user: User) -> SafeString:
    """The figure of a finished report as this reader may see it; empty where there is nothing to draw."""
    figure = FIGURES[report.kind](report, user) if report.is_done else None
    return glance(figure) if figure else SafeString()


def of_runs(report: Report, user: User) -> Intervals | None:
    """The runs' means, the best first, under the first of the qrels."""
    measure = main_measure(report)
    runs = best_first(outcomes(report, report.spec["qrels"][0]["id"]), measure)
    means = [(run.name, run.means[measure]) for run in runs]
    return around(
        measure,
        [
            Mark(name, mean.mean, known(mean.low), known(mean.high), mean_in_words(mean))
            for name, mean in means
            if mean.mean is not None
        ],
    )


def of_quality(report: Report, user: User) -> Intervals | None:
    return agreement(coefficients_in(summary(report)["agreement"]))


def of_preferences(report: Report, user: User) -> Intervals | None:
    """The strength of many systems, or who is preferred of two."""
    results = results_of(report)
    first = results.first_to_show()
    return preference_figures.strengths(results) or (preference_figures.score(first) if first else None)


def of_ab(report: Report, user: User) -> Intervals | None:
    results = ABResults(report, user, {})
    hidden = results.nothing or results.too_few or results.is_flawed or not results.may_be_read
    return None if hidden else ab_figures.answer(results)


def of_interleaving(report: Report, user: User) -> Intervals | None:
    results = InterleavingResults(report, user, {})
    return None if results.nothing or results.too_few or not results.may_be_read else interleaving_figures.answer(results)


def of_clicks(report: Report, user: User) -> Intervals | None:
    results = ClickResults(report, user)
    return None if results.nothing or results.too_few else click_figures.answer(results)


def of_verdict(report: Report, user: User) -> Intervals | None:
    return forest(VerdictResults(report), {})


FIGURES: Mapping[str, Callable[[Report, User], Intervals | None]] = {
    Report.Kind.RUNS: of_runs,
    Report.Kind.QUALITY: of_quality,
    Report.Kind.PREFERENCES: of_preferences,
    Report.Kind.AB: of_ab,
    Report.Kind.INTERLEAVING: of_interleaving,
    Report.Kind.CLICKS: of_clicks,
    Report.Kind.VERDICT: of_verdict,
}
