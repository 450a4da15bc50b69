"""The simulation of all who take part in the demo: workers who grade, workers who compare, visitors who search."""

from judging.collections.duplicate_search import search_near_duplicates
from judging.demo import graders, visitors, voters
from judging.models import Collection, Study


def run(collection: Collection) -> None:
    """Have them do what they have not done yet. What they did is a duplicate, so that it may stop anywhere and begin again."""
    finished = [(Study.Kind.GRADED, graders.NAME, graders.grade), (Study.Kind.SIDE_BY_SIDE, voters.NAME, voters.vote)]
    for kind, name, work in finished:
        for study in collection.studies.filter(kind=kind, name=name):
            work(study)
    search_near_duplicates(collection=collection, by=collection.owner)
    for site in collection.sites.select_related("collection"):
        visitors.send(site)
