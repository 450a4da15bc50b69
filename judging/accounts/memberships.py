"""Sharing: who besides its owner may see, judge or change a thing; and the owner's handing it over.

A thing has a relation for each role that somebody can have in it. Whoever owns it has no further role, and everybody else one.
"""

from typing import Any

from django.db import transaction
from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.access import collections_for, owns, researchers, sites_for
from judging.audit import Deed, note, quoted
from judging.errors import Impossible
from judging.models import Collection, Hypothesis, Site, Study, User, scope_fields


class Role(TextChoices):
    READER = "reader", gettext_lazy("Reader")
    JUDGE = "judge", gettext_lazy("Judge")
    RESEARCHER = "researcher", gettext_lazy("Researcher")


RELATIONS = {Role.READER: "readers", Role.JUDGE: "judges", Role.RESEARCHER: "members"}


class CannotShare(Impossible):
    """Why somebody cannot have the role; the text says what to change."""


def roles_in(subject: Any) -> list[Role]:
    """The roles that somebody can have in it, the least first."""
    return [role for role, relation in RELATIONS.items() if hasattr(type(subject), relation)]


def owner_of(subject: Any) -> User:
    return subject.owner if hasattr(subject, "owner") else subject.created_by


def people_in(subject: Any) -> list[tuple[User, Role]]:
    """Everybody with a role in it but its owner, the highest role first; of several roles the highest counts."""
    roles: dict[User, Role] = {}
    for role in reversed(roles_in(subject)):
        for person in getattr(subject, RELATIONS[role]).order_by("username"):
            roles.setdefault(person, role)
    roles.pop(owner_of(subject), None)
    return list(roles.items())


def may_have(subject: Any, role: Role) -> Any:
    """The people who could have the role. Whoever reads a collection makes studies and reports over it, as researchers do."""
    needs_a_researcher = role == Role.RESEARCHER or isinstance(subject, Collection)
    return researchers() if needs_a_researcher else User.objects.filter(is_active=True).order_by("username")


@transaction.atomic
def give(subject: Any, person: User, role: Role, *, by: User) -> None:
    """Give somebody a role instead of the one they had."""
    locked = locked_row(subject)
    if role not in roles_in(locked):
        raise CannotShare(f"Nobody can be a {role} here.")
    if owner_of(locked) == person:
        raise CannotShare(_("%(person)s owns it.") % {"person": person})
    if not may_have(locked, role).filter(pk=person.pk).exists():
        raise CannotShare(_("%(person)s is not a researcher here; an admin can make them one.") % {"person": person})
    before = dict(people_in(locked)).get(person)
    if before == role:
        return
    take_out(locked, person)
    getattr(locked, RELATIONS[role]).add(person)
    keep_note(locked, f"{person} is its {role}" + (f", was its {before}" if before else ""), by)


@transaction.atomic
def remove(subject: Any, person: User, *, by: User) -> None:
    locked = locked_row(subject)
    if before := dict(people_in(locked)).get(person):
        take_out(locked, person)
        keep_note(locked, f"{person} is no longer its {before}", by)


def note_sharing(collection: Collection, *, by: User) -> None:
    """Write down, in the transaction of the change, whether every researcher may read it from now on."""
    keep_note(collection, "shared with every researcher" if collection.shared else "shared with every researcher no longer", by)


@transaction.atomic
def hand_over(subject: Collection | Study | Site | Hypothesis, person: User, *, by: User) -> None:
    """Make somebody else its owner; whoever owned it goes on in its highest role, if they still are a researcher."""
    locked = locked_row(subject)
    before = locked.owner
    if not owns(by, locked):
        raise CannotShare(_("%(person)s owns it by now.") % {"person": before})
    if before == person:
        return
    if not researchers().filter(pk=person.pk).exists():
        raise CannotShare(_("%(person)s is not a researcher here; an admin can make them one.") % {"person": person})
    if isinstance(locked, Hypothesis) and not reads(person, locked.scope):
        why = _("%(person)s does not see %(scope)s, and so the verdict would rest on nothing: share that first.")
        raise CannotShare(why % {"person": person, "scope": quoted(locked.scope)})
    take_out(locked, person)
    type(locked)._default_manager.filter(pk=locked.pk).update(owner=person)
    if before.may_research:
        take_out(locked, before)
        getattr(locked, RELATIONS[roles_in(locked)[-1]]).add(before)
    keep_note(locked, f"owner: {before} → {person}", by)


def reads(person: User, scope: Collection | Site) -> bool:
    readable = collections_for(person) if isinstance(scope, Collection) else sites_for(person)
    return readable.filter(pk=scope.pk).exists()


def locked_row(subject: Any) -> Any:
    """The thing as it is now, held until the transaction ends: of two changes at once the second sees the first."""
    return type(subject)._default_manager.select_for_update(of=("self",)).get(pk=subject.pk)


def take_out(subject: Any, person: User) -> None:
    for role in roles_in(subject):
        getattr(subject, RELATIONS[role]).remove(person)


def keep_note(subject: Any, about: str, by: User) -> None:
    kind = type(subject)._meta.verbose_name
    note(Deed.ACCESS, f"{kind} {quoted(subject)}, {about}", by, **beside(subject))


def beside(subject: Any) -> dict[str, Any]:
    """Where the audit keeps what is done to it: with itself, or with what a verdict or a report is on."""
    if isinstance(subject, Hypothesis):
        return scope_fields(subject.scope)
    if isinstance(subject, Collection | Study | Site):
        return {type(subject)._meta.model_name or "": subject}
    return {"collection": subject.collection}
