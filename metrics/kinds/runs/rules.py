"""Rules of a report on runs: the engine's arguments besides run, qrels and measures."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ireval import DEFAULT_PROFILE
from ireval.measures.evaluation import EvaluationRules

TOPICS = {
    "both": gettext_lazy("Those that run and qrels have in common"),
    "qrels": gettext_lazy("All of the qrels; one that a run lacks counts as 0"),
}
TIES = {
    "profile": gettext_lazy("As the convention orders them"),
    "best": gettext_lazy("Highest grade first"),
    "worst": gettext_lazy("Highest grade last"),
}
HIGHEST_GRADE = 127
# Runs are rarely deeper than a thousand; a cut below the end of all rankings cuts nothing.
DEEPEST_CUT = 1_000_000
DEFAULTS = EvaluationRules(profile=DEFAULT_PROFILE, topics="both", relevant_from=1, depth=None, judged_only=False, ties="profile")
# A question names these only where they differ, so that questions asked before there was a choice stay the same.
USUAL: dict[str, Any] = {"depth": DEFAULTS["depth"], "judged_only": DEFAULTS["judged_only"], "ties": DEFAULTS["ties"]}


def rules_of(spec: dict[str, Any]) -> EvaluationRules:
    """All rules of a report; those that its spec does not name are as usual."""
    return EvaluationRules(
        profile=spec["profile"],
        topics=spec["topics"],
        relevant_from=spec["relevant_from"],
        depth=spec.get("depth", USUAL["depth"]),
        judged_only=spec.get("judged_only", USUAL["judged_only"]),
        ties=spec.get("ties", USUAL["ties"]),
    )


def counts_once(spec: Mapping[str, Any]) -> bool:
    """Whether a report counts of each group of near-duplicates only the first that a run retrieved."""
    return "duplicates" in spec


def in_short(spec: dict[str, Any]) -> list[str]:
    """Short words for the unusual rules, for a report's title, which is kept: in English for every reader.

    >>> in_short({"depth": 10, "judged_only": True, "ties": "best"}), in_short({})
    (['cut at 10', 'judged only', 'ties best'], [])
    """
    words = {
        "depth": f"cut at {spec.get('depth')}",
        "judged_only": "judged only",
        "ties": f"ties {spec.get('ties')}",
        "duplicates": "duplicates once",
    }
    return [word for rule, word in words.items() if rule in spec]


def unusual(spec: dict[str, Any]) -> list[str]:
    """The rules that readers would not expect, in words that follow a colon.

    >>> unusual({"depth": 10, "judged_only": True}), unusual({})
    (['only the first 10 of each ranking', 'judged documents only'], [])
    """
    cut, ties = spec.get("depth"), spec.get("ties", "profile")
    words = [
        _("only the first %(cut)s of each ranking") % {"cut": f"{cut:,}"} if cut else "",
        _("judged documents only") if spec.get("judged_only") else "",
        _("of equal scores the highest grade first") if ties == "best" else "",
        _("of equal scores the highest grade last") if ties == "worst" else "",
        _("near-duplicates counted once") if counts_once(spec) else "",
    ]
    return [word for word in words if word]
