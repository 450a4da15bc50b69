import pytest

from judging.experiments import arms
from judging.models import Site
from judging.search import indexes, ranking
from judging.views import search


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch):
    """Rows of an earlier test are gone, and so must be what processes remember of them."""
    for cache in (indexes.load_index, indexes.known_contents, ranking.ranking_of):
        cache.cache_clear()
    arms.remembered.clear()
    monkeypatch.setattr(search, "SEARCHES", search.SEARCHES._replace(most=1000))


@pytest.fixture
def site(collection, researcher):
    return Site.objects.create(name="Bird search", slug="birds", owner=researcher, collection=collection, has_page=True)
