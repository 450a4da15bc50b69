"""Systems and their versions: proposed by the names of runs and arms, confirmed by a researcher, many at once."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from judging.access import sites_for
from judging.audit import Deed, note, quoted
from judging.errors import Impossible
from judging.models import Arm, Collection, Run, Site, System, User, Version, scope_fields

LONGEST = 120
FIRST = "1"
# A name and, behind a separator, what looks like a version: dense-v2, bm25_2026-10-01. The numbers of bm25 are its name's.
NAME = re.compile(r"(?P<system>.*?[^\W_].*?)[-_. ](?P<version>v?\d[\d.]*(?:[-_.]\d+)*)")


class NoSystem(Impossible):
    """Why something cannot be said to be of a system; the text says what to change."""


@dataclass(frozen=True)
class Proposal:
    """A run or an arm, with the system and the version that it is of, or that its name proposes."""

    thing: Run | Arm
    system: str
    version: str

    @property
    def key(self) -> str:
        """Names it in forms: run-3, arm-7."""
        return f"{'run' if isinstance(self.thing, Run) else 'arm'}-{self.thing.pk}"

    @property
    def site(self) -> Site | None:
        """Where an arm's experiment runs."""
        return self.thing.experiment.site if isinstance(self.thing, Arm) else None

    @property
    def is_confirmed(self) -> bool:
        return self.thing.version_id is not None


def parts_of(name: str) -> tuple[str, str]:
    """The system and the version that a name speaks of.

    >>> parts_of("dense-v2"), parts_of("bm25_2026-10-01"), parts_of("bm25"), parts_of("v2")
    (('dense', 'v2'), ('bm25', '2026-10-01'), ('bm25', '1'), ('v2', '1'))
    """
    match = NAME.fullmatch(name)
    return (match["system"], match["version"]) if match else (name, FIRST)


def runs_of(scope: Collection | Site) -> QuerySet[Run]:
    runs = Run.objects.filter(collection=scope) if isinstance(scope, Collection) else Run.objects.none()
    return runs.select_related("version__system").order_by("name")


def scope_of(site: Site) -> Collection | Site:
    """Whose systems a site's arms are: its collection's where both have one owner, else its own."""
    collection = site.collection
    return collection if collection and collection.owner_id == site.owner_id else site


def arms_of(scope: Collection | Site) -> QuerySet[Arm]:
    """The arms of the experiments on the site, or on all sites of the collection's owner that search it."""
    of: dict[str, Any] = {"experiment__site": scope}
    if isinstance(scope, Collection):
        of = {"experiment__site__collection": scope, "experiment__site__owner": scope.owner_id}
    return Arm.objects.filter(**of).select_related("version__system", "run__version__system", "experiment__site").order_by("pk")


def proposals(scope: Collection | Site) -> list[Proposal]:
    """Every run and arm with its system; what is not confirmed yet is proposed by the name, an arm of a run by that run."""
    rows: list[Run | Arm] = [*runs_of(scope), *arms_of(scope)]
    return [proposal_of(thing) for thing in rows]


def unconfirmed(things: QuerySet[Run] | QuerySet[Arm]) -> list[Proposal]:
    """Those of which nobody has said yet of which system they are."""
    related = ["run__version__system", "experiment__site"] if things.model is Arm else []
    return [proposal_of(thing) for thing in things.filter(version=None).select_related("version", *related)]


def proposal_of(thing: Run | Arm) -> Proposal:
    version = thing.version or (thing.run.version if isinstance(thing, Arm) and thing.run else None)
    if version:
        return Proposal(thing, version.system.name, version.name)
    return Proposal(thing, *parts_of(name_of(thing)))


def name_of(thing: Run | Arm) -> str:
    """What searches: a run's name; an arm's is its own only where neither a run nor a ranker of ours answers there."""
    if isinstance(thing, Arm):
        return thing.run.name if thing.run else thing.ranker or thing.name
    return thing.name


def visible_to(user: User, rows: Iterable[Proposal]) -> list[Proposal]:
    """Without the arms of experiments that the user may not see."""
    visible = {site.pk for site in sites_for(user)}
    return [row for row in rows if row.site is None or row.site.pk in visible]


@transaction.atomic
def confirm(scope: Collection | Site, chosen: Iterable[tuple[Run | Arm, str, str]], *, by: User) -> int:
    """Say of which system and version each run or arm is; those that are new are made. An empty system says of none.

    Returns how many are of another system or version now. NoSystem for a name that is too long.
    """
    changed = [thing for thing, system, version in chosen if assign(scope, thing, system.strip(), version.strip(), by)]
    if changed:
        note(Deed.CHANGED, f"systems of {', '.join(quoted(thing) for thing in changed)}", by, **scope_fields(scope))
    return len(changed)


def assign(scope: Collection | Site, thing: Run | Arm, system: str, version: str, by: User) -> bool:
    if max(len(system), len(version)) > LONGEST:
        too_long = gettext("The name of a system or a version has at most %(most)s characters.")
        raise NoSystem(too_long % {"most": LONGEST})
    of = version_named(scope, system, version or FIRST, by) if system else None
    if thing.version_id == (of.pk if of else None):
        return False
    thing.version = of
    thing.save(update_fields=["version"])
    return True


def version_named(scope: Collection | Site, system: str, version: str, by: User) -> Version:
    kept, _ = System.objects.get_or_create(**scope_fields(scope), name=system, defaults={"created_by": by})
    return Version.objects.get_or_create(system=kept, name=version)[0]


def systems_of(scope: Collection | Site) -> QuerySet[System]:
    """The systems, with their versions, and their runs and arms."""
    return System.objects.filter(**scope_fields(scope)).prefetch_related("versions__runs", "versions__arms__experiment")
