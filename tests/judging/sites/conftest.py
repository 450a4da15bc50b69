import pytest
from django.test import Client

from judging.logs import sites


@pytest.fixture
def site(researcher):
    """Rita's, with the key that it was made with."""
    return sites.make(by=researcher, name="Bird shop")


@pytest.fixture
def browser_of():
    def browser(user):
        client = Client()
        client.force_login(user)
        return client

    return browser


@pytest.fixture
def reader(site, stranger, browser_of):
    """Sid, whom Rita lets read what many did."""
    site.readers.add(stranger)
    return browser_of(stranger)
