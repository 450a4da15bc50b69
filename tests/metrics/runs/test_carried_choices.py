"""What a reader chose on one page of a report is chosen on the others, by links that can be sent to somebody else."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests import conftest, sharing
from tests.metrics import conftest as reports

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("many"), pytest.mark.one_database]
db = sharing.db
researcher, collection = map(sharing.once, (conftest.researcher, conftest.collection))
compute, many = map(sharing.once, (reports.compute, reports.many))

TABS = ["", "curves/", "differences/", "tags/", "agreement/"]


@pytest.fixture
def shown(rita, many):
    def shown(address="", **headers):
        answer = rita.get(f"/reports/{many.pk}/{address}", headers=headers)
        assert answer.status_code == 200
        return html.unescape(answer.content.decode())

    return shown


def tabs(content: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', content.split('aria-label="Report"')[1].split("</nav>", 1)[0])


def ids(report) -> dict[str, int]:
    return {run["name"]: run["id"] for run in report.spec["runs"]}


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_leads_to_all_others_with_what_was_chosen(shown, many, tab):
    by_name = ids(many)
    query = {"measure": ["AP"], "run": [str(by_name["bad"]), str(by_name["fair"])], "first": [str(by_name["bad"])]}
    choice = "&".join(f"{name}={value}" for name, values in query.items() for value in values)
    for link in tabs(shown(f"{tab}?{choice}&sort=run&page=1&test=tukey")):
        assert parse_qs(urlsplit(link).query) == query
        shown(link.removeprefix(f"/reports/{many.pk}/"))


def test_the_measure_that_was_chosen_is_chosen_everywhere(shown):
    for link in tabs(shown("?measure=AP")):
        content = shown(link.split("/", 3)[3])
        assert "<option selected>AP</option>" in content or 'name="measure" value="AP"' in content


def test_the_runs_that_were_chosen_are_those_compared_and_the_page_says_so(shown, many):
    by_name = ids(many)
    chosen = f"?run={by_name['good']}&run={by_name['bad']}"
    differences = shown(f"differences/{chosen}")
    assert "Chosen: 2 of 4 runs" in differences and "Show all runs" in differences
    for content, table in ((differences, "Differences in nDCG@10"), (shown(f"agreement/{chosen}"), "Runs by their documents")):
        rows = content.split(f'aria-label="{table}"')[1].split("</table>")[0]
        assert re.findall(r'<th scope="row"[^>]*>(?:<a [^>]*>)?(\w+)', rows) == ["good", "bad"]
    assert "good against bad" in differences and "R-precision: good minus bad" in shown(f"curves/{chosen}")


@pytest.mark.parametrize("chosen", ["?run={bad}", "?run=99999", ""])
def test_one_run_alone_is_compared_with_all(shown, many, chosen):
    content = shown(f"differences/{chosen.format(**ids(many))}")
    assert content.split('id="matrix"')[1].split("</table>")[0].count('<th scope="row"') == 4
    assert "Chosen: " not in content


def test_the_two_runs_of_a_comparison_are_those_of_the_histogram(shown, many):
    by_name = ids(many)
    pair = f"?first={by_name['poor']}&second={by_name['good']}"
    assert "R-precision: poor minus good" in shown(f"curves/{pair}")
    assert "poor against good" in shown(f"differences/{pair}")


@pytest.mark.parametrize("tab", TABS)
def test_a_form_keeps_what_it_does_not_ask_for(shown, many, tab):
    second = ids(many)["bad"]
    forms = shown(f"{tab}?measure=AP&second={second}").split("<main")[1].split("<form")[1:]
    form = next(form.split("</form>")[0] for form in forms if 'method="post"' not in form)
    assert f'<input type="hidden" name="second" value="{second}">' in form
    assert form.count('name="measure"') == 1


def test_a_part_that_is_replaced_brings_the_tabs_along(shown):
    for target in ("explore", "topics"):
        part = shown("?measure=AP", hx_request="true", hx_target=target)
        assert 'id="tabs" aria-label="Report" hx-swap-oob="true"' in part
        assert {urlsplit(link).query for link in tabs(part)} == {"measure=AP"}
    assert "hx-swap-oob" not in shown("?measure=AP")


def test_a_page_of_the_readers_history_comes_whole(shown):
    assert "<html" in shown("?measure=AP", hx_request="true", hx_history_restore_request="true")


def test_a_topic_leads_back_to_the_same_choice(shown, many):
    content = shown("topic/?topic=3&measure=AP")
    assert f'href="/reports/{many.pk}/?measure=AP"' in content.split('aria-label="Breadcrumb"')[-1]


def test_nothing_chosen_leaves_the_links_plain(shown, many):
    assert tabs(shown()) == [f"/reports/{many.pk}/{tab}" for tab in TABS]
