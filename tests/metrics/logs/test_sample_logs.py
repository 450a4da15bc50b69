"""Logs that others published, sent to a site: its click report says what they counted, and what the engine says of the files."""

import re

import numpy as np
import pytest

from ireval.clicks import ctr_by_rank, read_ubi
from judging.logs.log_import import import_file
from tests.ireval.clicks.builders import write_ubi, yandex
from tests.ireval.clicks.test_yandex import CTR
from tests.metrics.logs.clicked_log import computed

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.mark.slow
@pytest.mark.soak
def test_yandex_comes_out_as_its_source_counts_it(site, shared_data, tmp_path):
    import_file(site, write_ubi(tmp_path / "log.ndjson", yandex(shared_data)))
    result = computed(site).result
    assert (result["impressions"], result["clicks"], result["queries"]) == (35_064, 50_321, 20)
    assert [round(row["ctr"], 4) for row in result["ranks"]] == CTR
    (abandoned,) = [row for row in result["rates"] if row["name"] == "abandonment"]
    assert round(35_064 * abandoned["value"]) == 35_064 - 23_284
    baseline, *models = result["held_out"]
    assert baseline["perplexity"] == pytest.approx(1.426, abs=0.015)
    gains = {row["name"]: row["gain"] for row in models}
    assert gains["position-based"]["value"] == pytest.approx(0.267, abs=0.04)
    assert {name for name, gain in gains.items() if gain["low"] > 0} == {"position-based", "simplified-dbn", "dependent-click"}
    assert gains["cascade"]["high"] < -5


def test_the_sample_of_chorus_comes_out_as_the_file_is_read(site, shared_data):
    """But for six searches whose records do not say what was asked: they are refused."""
    path = shared_data / "clicks_ubi_chorus" / "ubi_queries_events.ndjson.gz"
    import_file(site, path)
    sessions, deviations = read_ubi(path)
    # What nobody asked is called by its query_id.
    mask = np.array([not re.fullmatch(r"[0-9a-f-]{36}", query) for query in sessions.queries])
    searches = sessions.take(np.flatnonzero(mask[sessions.query]))
    result = computed(site).result
    assert result["impressions"] == len(searches) == len(sessions) - deviations["no-user-query"] == 278
    assert [(rank["shown"], rank["clicked"]) for rank in result["ranks"]] == ctr_by_rank(searches).select(
        "shown", "clicked"
    ).rows()
