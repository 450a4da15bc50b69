"""The results of interleaving in words that claim no more than its numbers do."""

import math

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from ireval.planning import Target, detectable_delta
from ireval.significance import Decision
from judging.models import User
from judging.text.counts import count
from judging.text.library_words import in_reader_language, target_in_words
from metrics.kinds.experiments.words import POWER, Conclusion, hasty_conclusion, identified_by, in_full, provenance
from metrics.kinds.interleaving.results import Duel, InterleavingResults
from metrics.logs.kind import count_or_few, too_few
from metrics.models import Report
from metrics.sentences import as_p, decimal, listed, percent, percents, signed

FEW = 30
ASSUMES = (
    gettext_lazy(
        "Users do not know which arm a result is from, and both arms’ results get an equal chance: that is what merging is for."
    ),
    gettext_lazy("A click is taken for approval. Where an arm has more that tempts and less that helps, it wins all the same."),
    gettext_lazy(
        "What a user’s votes have in common, and those of a query, is allowed for: intervals and p are clustered by both."
    ),
    gettext_lazy(
        "It says which arm’s results people click on when both are in one list, and not how far a metric of whole pages would "
        "move."
    ),
)


def headline(results: InterleavingResults) -> list[Conclusion]:
    if not results.may_be_read:
        return [too_early(results)]
    if len(results.arms) > 2:
        return [leader(results)]
    return [preferred(results.duels[0], results)]


def sentence(report: Report, user: User) -> str:
    """The result in one sentence as this reader may see it."""
    results = InterleavingResults(report, user, {})
    if results.nothing or results.too_few:
        return results.nothing or too_few()
    return in_full(headline(results))


def too_early(results: InterleavingResults) -> Conclusion:
    if results.choice.always:
        return hasty_conclusion(results)
    return Conclusion(
        "early",
        _("Not yet: %(n)s of %(users)s have come and clicked.")
        % {"n": f"{results.users:,}", "users": count(results.experiment.planned, "user")},
        _(
            "This experiment is to be read once, when all have come or it has ended: looking early at such an interval is not "
            "honest, since whoever stops when it pleases finds preferences that are not there. Always-valid intervals may be "
            "looked at at any time; they are wider."
        ),
    )


def preferred(duel: Duel, results: InterleavingResults) -> Conclusion:
    decision, pair = duel.decision, {"first": duel.first, "second": duel.second}
    if decision.outcome == "unknown":
        why = in_reader_language(decision.undefined) if decision.undefined else _("there are too few votes")
        result = _("Nothing can be told of %(first)s and %(second)s: %(why)s.") % {**pair, "why": why}
        return Conclusion("unknown", result, numbers(duel, results))
    if decision.is_told:
        better, worse = duel.winner_and_loser
        judged = "better" if better == duel.first else "worse"
        result = _("Users prefer %(better)s to %(worse)s.") % {"better": better, "worse": worse}
        return Conclusion(judged, result, numbers(duel, results), in_short(duel))
    if duel.analysis["by"] == "credit":
        text = _(
            "With %(level)s confidence %(system)s gets between %(low)s and %(high)s of the credit; stronger preferences are "
            "excluded."
        )
    else:
        text = _(
            "With %(level)s confidence %(system)s gets between %(low)s and %(high)s of the votes; stronger preferences are "
            "excluded."
        )
    low, high = shares_of(decision)
    excluded = text % {"level": percent(decision.level, 1), "system": duel.first, "low": low, "high": high}
    result = _("No preference between %(first)s and %(second)s was found.") % pair
    return Conclusion("none", result, f"{excluded} {numbers(duel, results)}", in_short(duel))


def in_short(duel: Duel) -> str:
    if duel.analysis["by"] == "credit":
        text = _(
            "%(system)s gets %(share)s of the credit (%(level)s interval %(low)s to %(high)s), n = %(n)s impressions by "
            "%(users)s."
        )
    else:
        text = _(
            "%(system)s gets %(share)s of votes (%(level)s interval %(low)s to %(high)s), n = %(n)s impressions by %(users)s."
        )
    low, high = shares_of(duel.decision)
    return text % {
        "system": duel.first,
        "share": percent(0.5 + duel.delta, 1),
        "level": percent(duel.decision.level, 1),
        "low": low.removesuffix(" %"),
        "high": high,
        "n": f"{duel.analysis['n']:,}",
        "users": count(duel.users, "user"),
    }


def numbers(duel: Duel, results: InterleavingResults) -> str:
    if duel.analysis["by"] == "credit":
        text = _(
            "Δ = %(delta)s (%(interval)s): %(system)s gets %(share)s of the credit; %(wins)s won, %(ties)s tied, %(losses)s "
            "lost of %(impressions)s with credit, by %(users)s."
        )
    else:
        text = _(
            "Δ = %(delta)s (%(interval)s): %(system)s gets %(share)s of votes, ties as halves; %(wins)s won, %(ties)s tied, "
            "%(losses)s lost of %(impressions)s with credit, by %(users)s."
        )
    return text % {
        "delta": signed(duel.delta, 3),
        "interval": _("no interval") if math.isnan(duel.decision.low) else interval_of(duel.decision),
        "system": duel.first,
        "share": percent(0.5 + duel.delta, 1),
        **{name: f"{duel.analysis[name]:,}" for name in ("wins", "ties", "losses")},
        "impressions": count(duel.analysis["n"], "impression"),
        "users": count(duel.users, "user"),
    }


def leader(results: InterleavingResults) -> Conclusion:
    first = [standing for standing in results.standings if standing.rank == 1]
    last = max(standing.high for standing in first)
    values = {
        "names": listed([standing.arm for standing in first]),
        "arms": len(results.arms),
        "last": last,
        "pairs": count(len(results.duels), "pair"),
        "alpha": f"{results.experiment.alpha:g}",
        "lists": count(results.counts["kept"], "list"),
        "users": count(results.users, "user"),
        "delta": signed(first[0].delta, 3),
        "told": sum(duel.decision.is_told for duel in results.duels),
    }
    if last == 1:
        text = ngettext(
            "%(names)s leads the %(arms)s arms, and no other can be first.",
            "%(names)s lead the %(arms)s arms, and no other can be first.",
            len(first),
        )
    else:
        text = ngettext(
            "%(names)s leads the %(arms)s arms, and may in truth have any rank up to %(last)s.",
            "%(names)s lead the %(arms)s arms, and may in truth have any rank up to %(last)s.",
            len(first),
        )
    if values["told"]:
        whole = _(
            "%(told)s of %(pairs)s can be told apart (p corrected by Holm, below %(alpha)s); %(lists)s shown, to %(users)s who "
            "clicked."
        )
        short = _("Mean Δ %(delta)s; %(told)s of %(pairs)s told apart; n = %(lists)s, %(users)s.")
    else:
        whole = _(
            "None of %(pairs)s can be told apart (p corrected by Holm, below %(alpha)s); %(lists)s shown, to %(users)s who "
            "clicked."
        )
        short = _("Mean Δ %(delta)s; none of %(pairs)s told apart; n = %(lists)s, %(users)s.")
    return Conclusion("better" if last == 1 else "none", text % values, whole % values, short % values)


def outlook(duel: Duel, results: InterleavingResults) -> str:
    """Say which preference these impressions could have shown, and how many impressions it takes to tell one that matters."""
    n = duel.analysis["n"]
    effect, ties = duel.analysis["design_effect"], duel.analysis["ties"] / n if n else 1.0
    if duel.analysis["by"] == "credit" or not effect or ties >= 1:
        return ""
    design = {"ties": ties, "design_effect": effect, "alpha": results.experiment.alpha, "comparisons": len(results.duels)}
    least = detectable_delta(n, power_wanted=POWER, **design)
    if math.isnan(least):
        text = _(
            "%(impressions)s with credit, as alike within users as here, cannot show any preference in %(share)s of experiments."
        )
    else:
        text = _(
            "%(impressions)s with credit, as alike within users as here, can show a Δ of %(least)s or more in %(share)s of "
            "experiments."
        )
    able = text % {"impressions": count(n, "impression"), "least": decimal(least), "share": percent(POWER, 1)}
    matters = results.matters(duel.first, duel.second)
    target = Target(matters.difference, "Δ of interleaving", results.experiment.alpha, len(results.duels))
    if not (needed := target.needed(duel.analysis["score"]["error"] or 0, n)):
        return able
    text = _("It takes about %(impressions)s to tell %(difference)s.")
    difference = f"{target_in_words(target)}{matters.source}"
    return f"{able} {text % {'impressions': count(needed, 'impression'), 'difference': difference}}"


def cautions(results: InterleavingResults) -> list[str]:
    planned, whole = results.experiment.planned, results.result["whole"]
    sentences = []
    queries = max(duel.analysis["queries"] for duel in results.duels)
    if min(results.users, queries) < FEW:
        text = ngettext(
            "%(users)s clicked, after %(queries)s different query: intervals rest on how these differ, which fewer than %(few)s "
            "hardly tell. Always-valid ones are too narrow then.",
            "%(users)s clicked, after %(queries)s different queries: intervals rest on how these differ, which fewer than "
            "%(few)s hardly tell. Always-valid ones are too narrow then.",
            queries,
        )
        sentences.append(text % {"users": count(results.users, "user"), "queries": f"{queries:,}", "few": FEW})
    if not results.choice.always and results.has_ended and results.users < planned:
        text = _(
            "It was stopped at %(n)s of %(planned)s users. If that was because of what it showed, its interval is too narrow: "
            "take the always-valid one."
        )
        sentences.append(text % {"n": f"{results.users:,}", "planned": f"{planned:,}"})
    if whole["without_credit"] > whole["impressions"] / 2:
        share = percent(whole["without_credit"] / whole["impressions"], 1)
        text = _("%(share)s of lists gave no arm any credit and say nothing: nobody clicked, or what both show alike.")
        sentences.append(text % {"share": share})
    return sentences


def count_rows(results: InterleavingResults) -> list[tuple[str, str, str]]:
    counts, whole = results.counts, results.result["whole"]
    version = {"version": results.report.spec["bots"]["version"]}
    programs = count_or_few(counts["bots"], sees_records=results.sees_records)
    before = _("before bots were left out")
    if results.sees_records:
        before = _("to %(users)s, before bots were left out") % {"users": count(counts["units"], "user")}
    return [
        (_("Lists shown"), f"{counts['impressions']:,}", before),
        (_("Bots"), programs, _("left out by version %(version)s of the site’s filter") % version),
        (_("Lists counted"), f"{counts['kept']:,}", _("with %(clicks)s") % {"clicks": count(counts["clicks"], "click")}),
        (_("Without credit"), f"{whole['without_credit']:,}", _("nobody clicked on what an arm had brought")),
    ]


def method(results: InterleavingResults) -> str:
    experiment = results.experiment
    if experiment.method == experiment.Method.PROBABILISTIC:
        score = _("the arm’s part of all credit, by the delta method")
    else:
        score = _("1 for an impression that an arm wins, ½ for a tie")
    if results.choice.always:
        looks = _("always-valid intervals (narrowest at %(planned)s votes)") % {"planned": f"{experiment.planned:,}"}
    else:
        looks = _("intervals by Student’s t, for one look")
    text = _(
        "%(method)s interleaving, %(depth)s deep. Score: %(score)s; Δ is the score less ½. Errors are robust to users "
        "(%(identifier)s) and queries; %(looks)s."
    )
    sentences = text % {
        "method": experiment.get_method_display(),
        "depth": experiment.depth,
        "score": score,
        "identifier": identified_by(experiment),
        "looks": looks,
    }
    return f"{sentences} {provenance(results.report)}"


def interval_of(decision: Decision) -> str:
    text = _("%(level)s interval %(low)s to %(high)s, p %(p)s")
    ends = {"low": signed(decision.low, 3), "high": signed(decision.high, 3)}
    return text % {"level": percent(decision.level, 1), **ends, "p": as_p(decision.p)}


def shares_of(decision: Decision) -> list[str]:
    """The ends of a decision's interval as shares of votes."""
    return percents([0.5 + decision.low, 0.5 + decision.high], 1)
