"""Channels by which participants of marketplaces come."""

import pytest

from judging.recruiting import channels
from tests.judging.recruiting.participants import CODES


@pytest.fixture
def channel(running, researcher):
    return channels.add_channel(running, by=researcher, source="prolific", signed_links=False, **CODES)


@pytest.fixture
def connect(running, researcher):
    redirect = "https://connect.cloudresearch.com/participant/project/41B26CAA44/complete"
    return channels.add_channel(running, by=researcher, source="connect", completed_code=redirect, screened_out_code="SCR")
