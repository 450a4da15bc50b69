import pytest

from judging.models import Site


@pytest.fixture
def site(researcher):
    return Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)
