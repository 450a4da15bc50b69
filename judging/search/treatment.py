"""The treatment of a visitor: the list of the usual ranker, or of the experiment that they are in.

Of several running experiments whose arms say how to search, the newest that the visitor is in decides. An experiment that knows
the query in some arms only does not count, or its arms would be compared by different queries.
"""

from typing import Any, NamedTuple

from ireval.interleaving import interleave
from judging.experiments.arms import Running, arms_of, running_on
from judging.experiments.drafts import INTERLEAVED
from judging.experiments.interleaving import attributes, seed_of
from judging.models import Arm, Collection, Run, Site
from judging.search.rankers import USUAL
from judging.search.ranking import search, search_for_arm
from judging.search.visits import Visitor


class TreatedSearch(NamedTuple):
    """The list to show, the log's attributes of experiments, and the search's id, which is empty where nobody is known."""

    query: str
    docnos: list[str]
    attributes: dict[str, Any]
    query_id: str = ""


def treat(site: Site, query: str, visitor: Visitor | None) -> TreatedSearch:
    assert site.collection is not None
    if visitor is None:
        return TreatedSearch(query, search(site.collection, USUAL, query), {})
    running, saying = running_on(site), arms_that_search(site)
    arms = arms_of(site, {"client": visitor.client})
    others = {name: arm for name, arm in arms.items() if name not in saying}
    for name in reversed([name for name in running if name in saying]):
        experiment = running[name]
        if (
            experiment.unit == "client"
            and experiment.has(visitor.client)
            and (lists := lists_of(site.collection, saying[name], query))
        ):
            return treated_search(experiment, lists, {**others, name: arms.get(name, INTERLEAVED)}, query, visitor)
    return TreatedSearch(
        query, search(site.collection, USUAL, query), experiment_attributes(others), visitor.query_id(query, others)
    )


def arms_that_search(site: Site) -> dict[str, list[Arm]]:
    """The arms of each running experiment of which all say how to search what the site searches.

    A run of the collection that it searched before would show ids that nobody has published.
    """
    by_name: dict[str, list[Arm]] = {}
    arms = Arm.objects.filter(experiment__site=site, experiment__name__in=running_on(site)).order_by("pk")
    for arm in arms.select_related("experiment", "run__collection"):
        by_name.setdefault(arm.experiment.name, []).append(arm)
    return {name: arms for name, arms in by_name.items() if all(arm.ranker or is_of(site, arm.run) for arm in arms)}


def is_of(site: Site, run: Run | None) -> bool:
    return run is not None and run.collection_id == site.collection_id


def lists_of(collection: Collection, arms: list[Arm], query: str) -> dict[str, list[str]]:
    """The docnos of each arm by its name; empty if one of the arms is a run that does not know the query."""
    lists = {arm.name: search_for_arm(collection, arm, query) for arm in arms}
    return {name: docnos for name, docnos in lists.items() if docnos is not None} if None not in lists.values() else {}


def treated_search(
    experiment: Running, lists: dict[str, list[str]], arms: dict[str, str], query: str, visitor: Visitor
) -> TreatedSearch:
    query_id = visitor.query_id(query, arms)
    if not experiment.interleaves:
        return TreatedSearch(query, lists[arms[experiment.name]], experiment_attributes(arms), query_id)
    merged = interleave(
        experiment.method, [lists[name] for name in experiment.arms], experiment.depth, seed_of(experiment, query_id)
    )
    rest = [docno for docno in lists[experiment.control] if docno not in set(merged.ranking)]
    return TreatedSearch(
        query, [*merged.ranking, *rest], {**experiment_attributes(arms), **attributes(experiment, merged)}, query_id
    )


def experiment_attributes(arms: dict[str, str]) -> dict[str, Any]:
    return {"experiments": arms} if arms else {}


def attributes_of_first(attributes: dict[str, Any], count: int) -> dict[str, Any]:
    """What the log says of what was shown, and not of what stands below it."""
    merged = attributes.get("interleaving")
    if merged is None:
        return attributes
    return {**attributes, "interleaving": {**merged, "shares": merged["shares"][:count], "places": merged["places"][:count]}}
