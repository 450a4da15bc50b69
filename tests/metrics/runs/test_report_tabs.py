"""The pages of one report: each is reached from every other, and says how far the report is while it is computed."""

import re

import pytest

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

TABS = {"": "Overview", "curves/": "Curves", "differences/": "Differences", "tags/": "Tags", "agreement/": "Correlation"}


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_leads_to_all_and_marks_itself(report, rita, tab):
    page = rita.get(f"/reports/{report.pk}/{tab}").content.decode()
    links = re.findall(rf'<a href="/reports/{report.pk}/([a-z]*/?)"[^>]*>(\w+)</a>', page.split('aria-label="Report"')[1])
    assert links[: len(TABS)] == [*TABS.items()]
    assert not tab or (f"<title>{TABS[tab]}: " in page and f'<li aria-current="page">{TABS[tab]}</li>' in page)
    assert re.findall(r'<a [^>]*aria-current="page">(\w+)</a>', page.split('aria-label="Report"')[1]) == [TABS[tab]]


@pytest.mark.parametrize("tab", TABS)
def test_a_report_that_is_not_finished_shows_its_progress_on_every_tab(ask, rita, tab):
    page = rita.get(f"/reports/{ask().pk}/{tab}").content.decode()
    assert "Waiting to be computed" in page
