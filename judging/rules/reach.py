"""The reach of rules: whether one worker ever gives as many answers of a kind as a rule waits for."""

import math
from dataclasses import dataclass
from heapq import nlargest

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.labels.aggregation import several_judge
from judging.models import Item, Rule, Study
from judging.rules.enforcement import active, rule_sentence
from judging.studies import pair_plan, pool_plan
from judging.studies.pair_plan import PairPlan
from judging.studies.pool_plan import PoolPlan
from judging.work import checks
from judging.work.progress import work_a_worker

Role = Item.Role
Signal = Rule.Signal


@dataclass(frozen=True)
class Met:
    """How much one worker meets who does all that the study has for them. Of checks among the work `gold` and `attention` are
    the averages, which chance decides, and `most` says how many it is at most."""

    training: int
    test: int
    work: int
    gold: float
    attention: float
    most: dict[str, int]
    with_others: bool  # whether others judge the same items

    @property
    def checks(self) -> float:
        return self.gold + self.attention

    @property
    def most_checks(self) -> int:
        return sum(self.most.values())


def met_by_one(study: Study) -> Met:
    """What a worker meets, in a draft by its plan."""
    if study.is_launched:
        return met_in(study, checks.mixes_of(study))
    return met_by_plan(pair_plan.plan(study) if study.compares else pool_plan.plan(study))


def met_by_plan(plan: PoolPlan | PairPlan) -> Met:
    return met_in(plan.as_launched, plan.mixes)


def met_in(study: Study, mixes: checks.Mixes) -> Met:
    return Met(
        training=checks.has(study, Role.TRAINING),
        test=checks.has(study, Role.TEST),
        work=work_a_worker(study),
        gold=average(study, mixes, Role.GOLD),
        attention=average(study, mixes, Role.ATTENTION),
        most={role: at_most(study, mixes, role) for role in checks.MIXED_IN},
        with_others=(study.most_overlap or 1) > 1 or several_judge(study),
    )


def average(study: Study, mixes: checks.Mixes, role: Item.Role) -> float:
    """How many checks of this role come with the work of one worker on average."""
    items = sum(topics * mix.work for mix, topics in mixes.items())
    if not (checks.mixes_in(study) and items):
        return 0.0
    met = sum(
        topics * mix.work * checks.met_with(study, mix.work, mix.checks) * getattr(mix, role) / mix.checks
        for mix, topics in mixes.items()
        if mix.work and mix.checks
    )
    return met * work_a_worker(study) / items


def at_most(study: Study, mixes: checks.Mixes, role: Item.Role) -> int:
    """How many checks of this role one worker can meet, who may not come to all topics."""
    if not checks.mixes_in(study):
        return 0
    by_topic = (min(getattr(mix, role), most_in(study, mix)) for mix in mixes.elements() if mix.work)
    return sum(nlargest(work_a_worker(study), by_topic))


def most_in(study: Study, mix: checks.Mix) -> int:
    """How many of a topic's checks a worker is given at most: what is left of one by the average is one for some."""
    wanted = checks.density(study) * min(mix.work, study.most_judgements or mix.work)
    return mix.checks if math.isinf(wanted) else min(mix.checks, math.floor(wanted) + 1)


def why_out_of_reach(rule: Rule, met: Met) -> str:
    """Why the rule can hardly act on anybody, as a sentence; empty if it can."""
    needed = math.ceil(max(rule.least, rule.threshold)) if rule.signal in (Signal.ATTENTION, Signal.RUN) else rule.least
    what, most, about = answers_for(rule.signal, needed, met)
    waits_for = {"answers": what % {"count": f"{needed:,}"}}
    if not most:
        return _("It will catch nobody: it waits for %(answers)s, and a worker meets none.") % waits_for
    if most < needed:
        nobody = _("It will catch nobody: it waits for %(answers)s, and a worker meets %(most)s at most.")
        return nobody % {**waits_for, "most": f"{most:,}"}
    if about < needed:
        hardly = _("It will hardly catch anybody: it waits for %(answers)s, and who does all the work meets about %(few)s.")
        return hardly % {**waits_for, "few": f"{math.floor(about * 10) / 10:g}"}
    return ""


def answers_for(signal: str, needed: int, met: Met) -> tuple[str, int, float]:
    """What a rule on this signal counts, as a phrase with a place for the count; the most and the mean that one worker meets."""
    if signal == Signal.GOLD:
        return ngettext("%(count)s gold item", "%(count)s gold items", needed), met.most[Role.GOLD], met.gold
    if signal == Signal.ATTENTION:
        what = ngettext("%(count)s attention check", "%(count)s attention checks", needed)
        return what, met.most[Role.ATTENTION], met.attention
    if signal in (Signal.AGREEMENT, Signal.TWIN):
        work = met.work if met.with_others else 0
        what = ngettext("%(count)s item that others judge, too", "%(count)s items that others judge, too", needed)
        return what, work + met.most_checks, work + met.checks
    before = met.test + met.work
    return ngettext("%(count)s item", "%(count)s items", needed), before + met.most_checks, before + met.checks


def out_of_reach(study: Study, met: Met) -> list[tuple[str, str]]:
    """The rules in force that can hardly act on anybody, as sentences, and why."""
    reasons = [(rule_sentence(rule), why_out_of_reach(rule, met)) for rule in active(study)]
    return [(sentence, why) for sentence, why in reasons if why]
