"""Effects of the arms of an A/B test, as far as one reader may see them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from ireval.experiments import Experiment as Sums
from ireval.experiments import SampleRatio, proportion_test, sample_ratio
from judging.logs.privacy import hidden_table, may_be_counted
from judging.models import Experiment, User
from metrics.kinds.ab.lines import Line, Method, bonferroni, corrected, decided, lines_of, undecided, with_arms, with_metric
from metrics.kinds.ab.parts import result_of
from metrics.kinds.experiments.method_choice import Choice
from metrics.kinds.experiments.results import EPOCH, ExperimentResults
from metrics.models import Report

# With a larger share of all users in two arms, the arms are not what they were meant to be.
MOST_CROSSED = 0.01


@dataclass(frozen=True)
class Look:
    """The state of one arm at one moment; `n` users of it and the control."""

    until: datetime
    n: int
    line: Line


@dataclass(frozen=True)
class Day:
    """New users and searches of one day, by arm; None where too few users stand behind a number."""

    day: date
    new: list[int | None]
    searches: list[int | None]

    @property
    def cells(self) -> list[tuple[int | None, int | None]]:
        return list(zip(self.new, self.searches, strict=True))


@dataclass(frozen=True)
class Segment:
    """The users with one value of an attribute: how many by arm, and the effect of each arm but the control.

    None stands for what is hidden because too few users stand behind it.
    """

    value: str
    users: dict[str, int | None]
    control: str
    lines: dict[str, Line | None]

    @property
    def cells(self) -> list[tuple[str, int | None, int | None, Line | None]]:
        """Rows of (arm, its users, the control's users, its effect)."""
        return [(arm, self.users[arm], self.users[self.control], line) for arm, line in self.lines.items()]


def compared_arms(lines: Sequence[Line]) -> int:
    """How many arms have enough users to be compared with the control, and at least 1: by so many the p values are corrected."""
    return max([1, *(line.decision.questions for line in lines)])


class ABResults(ExperimentResults):
    """A finished report of an A/B test as one reader may see it.

    Readers see no arm, segment or day of fewer than K users; the site's owner sees all.
    """

    def __init__(self, report: Report, user: User, query: Mapping[str, Any]):
        super().__init__(report, user)
        self.whole = result_of(report)
        users = dict(zip(self.whole.experiment.arms, self.whole.experiment.n, strict=True))
        self.arms = [arm for arm in report.spec["arms"] if self.may_be_shown(users[arm])]
        self.choice = Choice.of(self.experiment, self.arms or report.spec["arms"], query)

    @property
    def nothing(self) -> str:
        """Why there is nothing to show to anybody."""
        if self.whole.experiment.n.sum() or self.crossed:
            return ""
        counts = self.whole.behaviour.counts
        if not counts.searches:
            return _("No search was sent that was made since it began.")
        text = _("None of %(n)s searches since it began names an arm of it, in query_attributes or by an assignment.")
        return text % {"n": f"{counts.searches:,}"}

    @property
    def too_few(self) -> bool:
        """Whether there are not two arms that may be shown."""
        return len(self.arms) < 2

    @cached_property
    def sums(self) -> Sums:
        return with_arms(self.whole.experiment, self.arms)

    @cached_property
    def n(self) -> int:
        return int(self.sums.n.sum())

    @property
    def reached(self) -> int:
        return int(self.whole.experiment.n.sum())

    def users(self, arm: str) -> int:
        return int(self.sums.n[self.sums.number_of(arm)])

    @property
    def others(self) -> list[str]:
        return [arm for arm in self.arms if arm != self.choice.control]

    @property
    def questions(self) -> int:
        """The number of arms that are compared with the control, whoever may see them."""
        return len(self.whole.experiment.arms) - 1

    @property
    def metric(self) -> str:
        """The metric that decides."""
        return self.report.spec["metrics"][0]

    @property
    def confidence(self) -> float:
        """The confidence of the deciding metric's intervals, which hold for all arms that can be compared (Bonferroni)."""
        return 1 - self.experiment.alpha / compared_arms(self.deciding)

    @property
    def method(self) -> Method:
        choice, experiment = self.choice, self.experiment
        return Method(choice.control, experiment.alpha, choice.adjust, experiment.planned, choice.always)

    @cached_property
    def deciding(self) -> list[Line]:
        return self.by_what_decides(self.whole.experiment)

    def by_what_decides(self, sums: Sums) -> list[Line]:
        """One line per arm, by the metric that decides; all arms are one family, also those that this reader may not see."""
        sums = with_metric(sums, self.metric)
        arms = compared_arms(lines_of(sums, self.method))
        lines = undecided(sums, self.method, confidence=1 - self.experiment.alpha / arms)
        return self.shown([bonferroni(line, arms) for line in decided(lines, self.method, "bonferroni")])

    def shown(self, lines: Sequence[Line]) -> list[Line]:
        """The lines of arms that the reader may see, in the order of metrics, then of arms."""
        metrics = list(dict.fromkeys(line.effect.metric for line in lines))
        arms = self.others
        return sorted(
            (line for line in lines if line.effect.arm in arms),
            key=lambda line: (metrics.index(line.effect.metric), arms.index(line.effect.arm)),
        )

    @cached_property
    def every(self) -> list[Line]:
        """One line per metric and arm; they are one family with the lines of arms that this reader may not see."""
        return self.shown(lines_of(self.whole.experiment, self.method))

    @property
    def reduction(self) -> float:
        """The largest share of a metric's variance that adjusting for the time before removes, whatever the reader chose."""
        every = self.every if self.choice.adjust else lines_of(self.whole.experiment, self.method._replace(adjust=True))
        return max((line.effect.reduction for line in self.shown(every) if not math.isnan(line.effect.reduction)), default=0.0)

    @property
    def secondary(self) -> list[Line]:
        return [line for line in self.every if line.effect.metric != self.metric]

    @cached_property
    def proportions(self) -> list[dict[str, Any]]:
        """Counts of the users who did something, by metric and arm, and tests that need no normal distribution."""
        names = [metric.name for metric in self.sums.metrics if metric.kind == "proportion"]
        return [self.counted(name, arm) for name in names for arm in self.others]

    def counted(self, name: str, arm: str) -> dict[str, Any]:
        (metric,) = with_metric(self.sums, name).metrics
        moments = [metric.moments[self.sums.number_of(side)] for side in (arm, self.choice.control)]
        counts = [count for moment in moments for count in (moment.n, round(float(moment.mean[0]) * moment.n))]
        test = proportion_test(*counts, confidence=1 - self.experiment.alpha)
        names = dict(zip(("n", "did", "n_control", "did_control"), counts, strict=True))
        return {"metric": name, "arm": arm, "control": self.choice.control, **names, **test._asdict()}

    @cached_property
    def ratio(self) -> SampleRatio:
        """The sample ratio test over all arms, also those that are not shown."""
        weights = {arm.name: arm.weight for arm in self.experiment.arms.all()}
        arms = self.whole.experiment.arms
        return sample_ratio(self.whole.experiment.n, [weights.get(arm, 1.0) for arm in arms])

    @property
    def shares(self) -> list[tuple[str, int, float]]:
        """Rows of (arm, its users, the number expected), for the arms that are shown."""
        by_arm = dict(zip(self.whole.experiment.arms, zip(self.ratio.counts, self.ratio.expected, strict=True), strict=True))
        return [(arm, *by_arm[arm]) for arm in self.arms]

    @property
    def crossed(self) -> int:
        return self.whole.behaviour.counts.crossed

    @property
    def crossed_share(self) -> float:
        everybody = self.crossed + int(self.whole.experiment.n.sum())
        return self.crossed / everybody if everybody else 0.0

    @property
    def crossed_shown(self) -> int | None:
        return self.crossed if may_be_counted(self.crossed, sees_records=self.sees_records) else None

    @property
    def is_crossed(self) -> bool:
        return self.crossed_share > MOST_CROSSED

    @property
    def is_flawed(self) -> bool:
        """Whether nothing that the report finds can be believed: `words.flaws` says why."""
        return self.ratio.mismatch or self.is_crossed

    @cached_property
    def looks(self) -> list[Look]:
        """Looks, oldest first.

        Readers see a look only if K users came since the one before: the difference of two would tell of a few.
        """
        looks: list[Look] = []
        before = np.zeros(len(self.arms), np.int64)
        for until, sums in self.whole.looks.items():
            shown = with_arms(sums, self.arms)
            if all(map(self.may_be_shown, (shown.n - before).tolist())):
                before = shown.n
                lines = self.by_what_decides(sums)
                looks += [Look(until, line.effect.n + line.effect.n_control, line) for line in lines]
        return looks

    def looks_of(self, arm: str) -> list[Look]:
        return [look for look in self.looks if look.line.effect.arm == arm]

    @cached_property
    def days(self) -> list[Day]:
        rows = {(day, arm): counts for day, arm, *counts in self.whole.behaviour.days.iter_rows()}
        days = sorted({day for day, _ in rows})
        cells = [[rows.get((day, arm), (0, 0, 0)) for arm in self.arms] for day in days]
        hidden = self.hidden([[new for new, _, _ in row] for row in cells])
        return [self.day(*day_cells) for day_cells in zip(days, cells, hidden, strict=True)]

    def day(self, number: int, cells: Sequence[Sequence[int]], hidden: Sequence[bool]) -> Day:
        few = [
            not self.sees_records and (gone or not self.may_be_shown(units))
            for (_, units, _), gone in zip(cells, hidden, strict=True)
        ]
        return Day(
            EPOCH.date() + timedelta(days=number),
            [None if gone else new for (new, _, _), gone in zip(cells, hidden, strict=True)],
            [None if gone else searches for (_, _, searches), gone in zip(cells, few, strict=True)],
        )

    def hidden(self, users: Sequence[Sequence[int]]) -> list[list[bool]]:
        return [[False] * len(row) for row in users] if self.sees_records else hidden_table(users)

    @cached_property
    def segments(self) -> dict[str, list[Segment]]:
        """Segments by attribute; all are one family of questions, also those that this reader may not see."""
        values = {name: self.whole.segments[name] for name in self.report.spec["segments"] if self.whole.segments[name]}
        every = iter(
            decided(corrected([line for sums in values.values() for line in self.segment_lines(sums)]), self.method, "holm")
        )
        return {
            name: self.segments_by(sums, {value: list(islice(every, self.questions)) for value in sums})
            for name, sums in values.items()
        }

    def segment_lines(self, values: Mapping[str, Sums]) -> list[Line]:
        """One line per value and arm."""
        return [
            line
            for sums in values.values()
            for line in undecided(with_metric(sums, self.metric), self.method, confidence=1 - self.experiment.alpha)
        ]

    def segments_by(self, values: Mapping[str, Sums], lines: Mapping[str, Sequence[Line]]) -> list[Segment]:
        sums = {value: with_arms(value_sums, self.arms) for value, value_sums in values.items()}
        users = [[int(value_sums.n[value_sums.number_of(arm)]) for arm in self.arms] for value_sums in sums.values()]
        rest = [self.users(arm) - sum(counts) for arm, counts in zip(self.arms, zip(*users, strict=True), strict=True)]
        hidden = self.hidden([*users, rest] if any(rest) else users)  # who has no value, or a rare one, is told by the total
        rows = zip(sums, users, hidden, strict=False)  # the rest is no row
        return [self.segment(value, lines[value], counts, marks) for value, counts, marks in rows]

    def segment(self, value: str, lines: Sequence[Line], users: Sequence[int], hidden: Sequence[bool]) -> Segment:
        gone = {arm for arm, mark in zip(self.arms, hidden, strict=True) if mark}
        by_arm = {line.effect.arm: line for line in lines}
        return Segment(
            value,
            {arm: None if arm in gone else count for arm, count in zip(self.arms, users, strict=True)},
            self.choice.control,
            {arm: None if {arm, self.choice.control} & gone else by_arm[arm] for arm in self.others},
        )


def pseudonyms_change(experiment: Experiment, since: datetime, until: datetime) -> list[datetime]:
    """The moments between the two at which users got new pseudonyms."""
    span = timedelta(days=experiment.site.rotate_days)
    first, last = ((moment - EPOCH) // span for moment in (since, until))
    return [EPOCH + number * span for number in range(first + 1, last + 1)]
