"""What the figures of both kinds of experiments share: words about intervals over time, and their tables' heads."""

from django.utils.translation import gettext as _

from metrics.kinds.experiments.results import ExperimentResults
from metrics.sentences import percent

# Nobody reads more figures than that; the files have all arms.
MOST_FIGURES = 4
MOMENT = "j M Y, H:i"


def caption(results: ExperimentResults, confidence: float) -> str:
    text = _(
        "Solid and dotted, the two %(level)s intervals: the one for one look may be read once, at the end; the one for any time "
        "holds at all moments together. Early ends that lie far out are cut off."
    )
    few = "" if results.sees_records else _("Moments before which few came are left out.")
    return f"{text % {'level': percent(confidence, 1)}} {few}".strip()


def name_of_pair(first: str, second: str) -> str:
    return _("%(first)s against %(second)s") % {"first": first, "second": second}


def title_over_time(first: str, second: str) -> str:
    return _("%(first)s against %(second)s, over time") % {"first": first, "second": second}


def heads(value: str) -> list[str]:
    """What the columns of a figure's table are called, of which one has this value."""
    return [_("Until (UTC)"), _("Users"), value, _("One look, low"), _("high"), _("Any time, low"), _("high")]
