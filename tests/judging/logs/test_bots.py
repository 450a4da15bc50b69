"""What a site takes for programs comes in versions, and how many it would leave out is known before."""

from datetime import UTC, datetime, timedelta

import pytest

from judging.errors import BadFields
from judging.logs import bots
from judging.logs.archive import moves
from judging.logs.bots import BotPreview, Limits
from judging.logs.intake import receive
from judging.models import Agent, AuditEntry, BotFilter, Site
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
NO_LIMITS = Limits("", None, None)
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36"


def at(seconds):
    return (NOW - timedelta(hours=1) + timedelta(seconds=seconds)).isoformat()


def clicks(client, seconds):
    return [click(f"d{number}", client_id=client, timestamp=at(second)) for number, second in enumerate(seconds)]


def archived_step_by_step(site):
    """With all records in their tables, then with all of them in files."""
    yield
    assert moves.archive(site, before=NOW + timedelta(days=1))
    yield


def test_the_first_version_is_made_when_it_is_needed(site):
    assert bots.current(site) == bots.current(site)
    version = BotFilter.objects.get()
    assert (version.version, version.records_a_minute, version.searches_a_day) == (1, 120, 500)
    bots.refuse_bad_pattern(version.agents)


def test_changes_make_new_versions_and_leave_the_old_ones(site, researcher):
    first = bots.current(site)
    second = bots.save(site, Limits("owl", 60, None), by=researcher, why="too many owls")
    assert bots.save(site, Limits("owl", 60, None), by=researcher) == second == bots.current(site)
    assert [bot_filter.version for bot_filter in site.bot_filters.all()] == [2, 1]
    first.refresh_from_db()
    assert bots.limits_of(first) == Limits()
    assert (second.created_by, second.note) == (researcher, "too many owls")
    assert AuditEntry.objects.get().about == "what the site “Bird shop” takes for programs: version 2"


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("bot(", "unclosed group"),
        ("(?<!u)bot", "look-around"),
        (r"(bot)\1", "backreferences"),
        ("(?:a{500}){500}", "size limit"),
        ("b" * 501, "longer than 500"),
        ("bot|", "an empty name"),
        (".*", "an empty name"),
    ],
)
def test_expressions_that_cannot_be_used_say_why(site, pattern, why):
    with pytest.raises(BadFields, match=why):
        bots.save(site, Limits(pattern, None, None), by=None)
    assert not BotFilter.objects.filter(version=2).exists()


def test_no_expression_takes_longer_than_the_text_is(site):
    """By an engine that tries one way after the other, this would not end."""
    bots.refuse_bad_pattern("(a+)+c")
    assert bots.matches(["a" * 100_000 + "b"], "(a+)+c") == [False]


def test_programs_that_say_so_are_caught_and_telephones_are_not(site):
    agents = {
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": True,
        "BOT": True,
        "python-requests/2.32": True,
        CHROME.replace("Chrome", "HeadlessChrome"): True,
        CHROME: False,
        "Mozilla/5.0 (Linux; Android 11; CUBOT NOTE 20) AppleWebKit/537.36": False,
    }
    rows = [Agent.objects.create(text=text) for text in agents]
    expected = [row.pk for row, is_one in zip(rows, agents.values(), strict=True) if is_one]
    assert bots.agents_caught(bots.current(site).agents) == expected
    assert bots.agents_caught("") == []


def test_agents_are_looked_through_by_steps(site, monkeypatch):
    monkeypatch.setattr(bots, "A_STEP", 2)
    rows = [Agent.objects.create(text=f"owl {number}") for number in range(5)]
    assert bots.agents_caught("OWL [1-4]") == [row.pk for row in rows[1:]]


def test_more_records_in_any_minute_are_a_program_s(site):
    fast = clicks("fast", [50, 60, 70, 100])  # four within less than a minute, but not in one of the clock's
    slow = clicks("slow", [0, 30, 60, 90, 120])
    receive(site, fast + slow, now=NOW)
    assert bots.preview(site, NO_LIMITS._replace(records_a_minute=3), NOW) == BotPreview(2, 1, 9, 4, is_whole=True)
    assert bots.preview(site, NO_LIMITS._replace(records_a_minute=4), NOW) == BotPreview(2, 0, 9, 0, is_whole=True)


def test_exactly_a_minute_is_another_minute(site):
    receive(site, clicks("a", [0, 60]) + clicks("b", [0, 59.999]), now=NOW)
    assert bots.preview(site, NO_LIMITS._replace(records_a_minute=1), NOW).caught == 1


def test_more_searches_in_any_day_are_a_program_s_and_a_search_counts_once(site):
    many = [query(number, client_id="many", timestamp=at(number * 3600)) for number in range(4)]
    again = [{**record, "query_response_hit_ids": []} for record in many[:2]]
    few = [query(f"f{number}", client_id="few", timestamp=at(number)) for number in range(3)]
    receive(site, many + again + few + [{**few[0], "message": str(number)} for number in range(5)], now=NOW)
    for _ in archived_step_by_step(site):
        assert bots.preview(site, NO_LIMITS._replace(searches_a_day=3), NOW) == BotPreview(2, 1, 14, 6, is_whole=True)


def test_one_record_by_a_program_s_name_makes_a_program_of_the_client(site):
    receive(site, [*clicks("a", [0]), query(client_id="a")], agent="Owlbot/1.0", now=NOW)
    receive(site, clicks("a", [500]), agent=CHROME, now=NOW)
    receive(site, clicks("b", [0]) + clicks(None, [0]), agent=CHROME, now=NOW)
    assert bots.preview(site, NO_LIMITS._replace(agents="owlbot"), NOW) == BotPreview(2, 1, 5, 3, is_whole=True)


def test_only_the_last_days_of_this_site_count(site, stranger):
    other = Site.objects.create(name="Other", slug="other", owner=stranger)
    receive(other, clicks("a", [0]), now=NOW)
    receive(site, clicks("a", [0]), now=NOW - timedelta(days=8))
    receive(site, clicks("b", [0]), now=NOW - timedelta(days=6))
    assert bots.preview(site, Limits(), NOW) == BotPreview(1, 0, 1, 0, is_whole=True)


def test_of_too_many_records_the_newest_count(site, monkeypatch):
    monkeypatch.setattr(bots, "MOST", 3)
    for minute in range(5):
        receive(site, [click(f"d{minute}", client_id=f"c{minute}")], now=NOW + timedelta(minutes=minute))
    for _ in archived_step_by_step(site):
        assert bots.preview(site, NO_LIMITS, NOW + timedelta(hours=1)) == BotPreview(3, 0, 3, 0, is_whole=False)


def test_browsers_are_listed_with_their_records(site):
    receive(site, [query(), *clicks("a", [0, 1])], agent=CHROME, now=NOW)
    receive(site, clicks("b", [2]), agent="Owlbot", now=NOW)
    for _ in archived_step_by_step(site):
        assert bots.browsers(site, "owl", NOW) == [(CHROME, 3, False), ("Owlbot", 1, True)]
