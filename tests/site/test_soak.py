"""Processes are killed under load, both ways to run: nothing that was acknowledged is lost or there twice, and all goes on.

`python -m benchmarks.faults --kills 200` does the same for longer, and measures how soon.
"""

import pytest


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("way", ["laptop", "team"])
def test_nothing_is_lost_or_doubled_whoever_is_killed(way, tmp_path):
    from benchmarks.faults.soak import Soak

    assert Soak(way, 6, 1, tmp_path).run() == []
