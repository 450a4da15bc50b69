"""Interleaving: merges what the arms of an experiment would show, and logs what was shown."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ireval.interleaving import BadInterleaving, Interleaved, interleave
from judging.audit import quoted
from judging.errors import Refusal, Unacceptable
from judging.experiments.arms import Running, running_experiment, running_on
from judging.experiments.drafts import INTERLEAVED
from judging.logs.intake import REJECTED, receive
from judging.models import Experiment, Site

Lists = Mapping[str, Sequence[str]]


class BadLists(Unacceptable):
    """Lists that cannot be merged, or a search that cannot be logged, and why."""


class NoExperiment(Refusal):
    """The site has no interleaving of that name; the text says which it has."""

    status = 404


class MergedList(NamedTuple):
    """What to show. `why` says why it is the control's list and was not logged, if so."""

    query_id: str
    ranking: list[str]
    why: str = ""

    @property
    def logged(self) -> bool:
        return not self.why


def merge(
    site: Site,
    name: str,
    lists: Lists,
    *,
    user_query: str,
    client_id: str,
    user_id: str | None = None,
    session_id: str | None = None,
    query_id: str | None = None,
    timestamp: str | None = None,
    agent: str = "",
) -> MergedList:
    """The arms' lists as one, logged as a search: committed when this returns, so call it in no transaction.

    Of an experiment that is not running, and for who is not in it, the control's list, which is not logged. The lot is drawn
    from `query_id`: asked again with the same, the answer is the same and the search is logged once.
    """
    query_id = query_id or uuid.uuid4().hex
    running = running_on(site).get(name)
    experiment = running or idle_experiment(site, name)
    if not experiment.interleaves:
        raise NoExperiment(f"{name} is an A/B test: ask for assignments, and show the arm's own list.")
    check(experiment, lists)
    unit = client_id if experiment.unit == Experiment.Unit.CLIENT else user_id
    if running is None or not running.has(unit):
        why = "it is not running" if running is None else "the unit is not in it"
        return MergedList(query_id, list(lists[experiment.control][: experiment.depth]), why)
    try:
        merged = interleave(running.method, [lists[arm] for arm in running.arms], running.depth, seed_of(running, query_id))
    except BadInterleaving as error:
        raise BadLists(f"{error}. Rankings are those of {', '.join(running.arms)}, in this order.")
    record = {
        "user_query": user_query,
        "query_id": query_id,
        "client_id": client_id,
        "user_id": user_id,
        "session_id": session_id,
        "timestamp": timestamp,
        "query_response_hit_ids": list(merged.ranking),
        "query_attributes": attributes(running, merged),
    }
    log_search(site, {name: value for name, value in record.items() if value is not None}, agent)
    return MergedList(query_id, list(merged.ranking))


def log_search(site: Site, record: dict[str, Any], agent: str) -> None:
    receipt = receive(site, [record], kind="query", agent=agent)
    if receipt.statuses[0] == REJECTED:
        raise BadLists(f"The search {receipt.why[0]}, so it was not logged.")


def idle_experiment(site: Site, name: str) -> Running:
    """An experiment that is not running, or not known to be yet."""
    experiment = Experiment.objects.filter(site=site, name=name).select_related("group").first()
    arms = list(experiment.arms.all()) if experiment else []
    if experiment is None or not arms:
        names = Experiment.objects.filter(site=site, kind=Experiment.Kind.INTERLEAVING).values_list("name", flat=True)
        others = f"There is: {', '.join(sorted(names))}." if names else "There is none."
        raise NoExperiment(f"This site has no interleaving called {quoted(name)} that has arms. {others}")
    return running_experiment(experiment, arms, frozenset())


def check(experiment: Running, lists: Lists) -> None:
    if set(lists) != set(experiment.arms):
        raise BadLists(f"lists names {', '.join(sorted(lists)) or 'no arm'}; expected {', '.join(experiment.arms)}, each once.")


def seed_of(experiment: Running, query_id: str) -> int:
    """A seed as good as a fresh one: whoever chooses a query_id does not know the salt."""
    return int.from_bytes(hashlib.blake2b(query_id.encode(), key=experiment.salt.encode(), digest_size=16).digest())


def attributes(experiment: Running, merged: Interleaved) -> dict[str, Any]:
    """What the report needs to say whose a click is."""
    return {
        "experiment": experiment.name,
        "arm": INTERLEAVED,
        "interleaving": {
            "method": merged.method,
            "arms": list(experiment.arms),
            "shares": merged.shares.tolist(),
            "places": [list(places) for places in merged.depths],
        },
    }
