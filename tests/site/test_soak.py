"""Processes are killed under load, both ways to run: nothing that was acknowledged is lost or there twice, and all goes on.

`python -m benchmarks.faults --kills 200` does the same for longer, and measures how soon; `make soak` runs both.
"""

import pytest


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.parametrize("way", ["laptop", "team"])
def test_nothing_is_lost_or_doubled_whoever_is_killed(way, tmp_path):
    from benchmarks.faults.soak import Soak
    from benchmarks.faults.victims import OF_WAY

    soak = Soak(way, 10, 1, tmp_path)  # each kind of process and its children once, and some by lot
    assert soak.run() == []
    assert soak.kills.kinds == OF_WAY[way]
