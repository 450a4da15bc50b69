import pytest

from judging.experiments import drafts
from judging.models import Arm, Site


@pytest.fixture
def site(researcher):
    return Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)


@pytest.fixture
def draft(site, researcher):
    """Makes drafts: of two arms, the first the control, unless it says otherwise."""

    def make(name="new-ranking", arms=("control", "new"), weights=None, **settings):
        weights = weights or [1] * len(arms)
        made = [Arm(name=arm, weight=weight, is_control=arm == arms[0]) for arm, weight in zip(arms, weights, strict=True)]
        return drafts.create(site, by=researcher, name=name, arms=made, **settings)

    return make
