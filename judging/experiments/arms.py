"""Arms: who is in which experiment, and in which arm. Nothing is stored: docs/reference/experiments.md has the hash."""

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from ireval.experiments import assign, place
from judging.models import Allotment, Arm, Experiment, Site

PARTS = 100
# So long a process remembers what is running. Starting and stopping take effect within it.
SECONDS = 3.0
# Appended to the salt: who is in must say nothing of which arm they get.
TRAFFIC = "/traffic"


@dataclass(frozen=True, slots=True)
class Running:
    """What is needed of an experiment to tell who is in which of its arms, control first in nothing: arms as they were made."""

    name: str
    interleaves: bool
    method: str
    depth: int
    unit: str
    salt: str
    traffic: int
    group_salt: str | None
    parts: frozenset[int]
    arms: tuple[str, ...]
    weights: tuple[float, ...]
    control: str

    def has(self, unit: str | None) -> bool:
        """Whether a unit is in it. Who has no name is not: nobody would know them again."""
        if unit is None:
            return False
        if self.group_salt is not None:
            return int(place(unit, self.group_salt) * PARTS) in self.parts
        return self.traffic == PARTS or place(unit, self.salt + TRAFFIC) * PARTS < self.traffic

    def arm_of(self, unit: str) -> str:
        return self.arms[assign(unit, self.salt, self.weights)]


def arms_of(site: Site, units: Mapping[str, str | None]) -> dict[str, str]:
    """The arm of every running A/B test that somebody is in, by its name; `units` are their ids by kind (client, user)."""
    arms = {}
    for experiment in running_on(site).values():
        unit = units.get(experiment.unit)
        if not experiment.interleaves and unit is not None and experiment.has(unit):
            arms[experiment.name] = experiment.arm_of(unit)
    return arms


Key = tuple[int, str]
remembered: dict[Key, tuple[float, dict[str, Running]]] = {}


def running_on(site: Site) -> dict[str, Running]:
    """A site's running experiments by their names, as they were some seconds ago at most."""
    until, running = remembered.get(key_of(site), (0.0, {}))
    if until < (now := time.monotonic()):
        running = load_running(site)
        remembered[key_of(site)] = now + SECONDS, running
    return running


def forget(site: Site) -> None:
    """Look again, in this process."""
    remembered.pop(key_of(site), None)


def key_of(site: Site) -> Key:
    """The secret keeps apart sites that had one number in turn."""
    return site.pk, site.secret


def load_running(site: Site) -> dict[str, Running]:
    running = list(Experiment.objects.filter(site=site, state=Experiment.State.RUNNING).select_related("group").order_by("id"))
    arms, parts = defaultdict(list), defaultdict(set)
    for arm in Arm.objects.filter(experiment__in=running).order_by("id"):
        arms[arm.experiment_id].append(arm)
    for allotment in Allotment.objects.filter(experiment__in=running):
        parts[allotment.experiment_id].add(allotment.part)
    return {
        experiment.name: running_experiment(experiment, arms[experiment.pk], frozenset(parts[experiment.pk]))
        for experiment in running
    }


def running_experiment(experiment: Experiment, arms: list[Arm], parts: frozenset[int]) -> Running:
    return Running(
        name=experiment.name,
        interleaves=experiment.interleaves,
        method=experiment.method,
        depth=experiment.depth,
        unit=experiment.unit,
        salt=experiment.salt,
        traffic=experiment.traffic,
        group_salt=experiment.group.salt if experiment.group else None,
        parts=parts,
        arms=tuple(arm.name for arm in arms),
        weights=tuple(arm.weight for arm in arms),
        control=next((arm.name for arm in arms if arm.is_control), arms[0].name),
    )
