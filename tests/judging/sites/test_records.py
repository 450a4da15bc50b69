"""Single records: page after page, those of one action, those of one search. Only their owner sees them."""

import json
import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.logs import record_list
from judging.logs.archive import lookups, moves
from judging.logs.intake import receive
from judging.logs.log_import import import_file
from judging.models import ArchiveFile, Event, Query
from tests.judging.logs.sent import click, query

pytestmark = pytest.mark.django_db


def records(client, site, **fields):
    return client.get(reverse("site_records", args=[site.pk]), fields).content.decode()


def all_pages(site, **how):
    all_records, place = [], None
    while True:
        page = record_list.newest(site, Event, after=place, **how)
        all_records += page.records
        place = page.next
        if place is None:
            return all_records


@pytest.fixture
def many(site):
    """Three batches, each with one moment of receipt."""
    start = timezone.now() - timedelta(hours=3)
    for batch in range(3):
        sent = [click(event_id=f"{batch}-{n}", **({"action_name": "buy"} if n == 0 else {})) for n in range(7)]
        receive(site, sent, now=start + timedelta(hours=batch))


def test_pages_have_every_record_once_also_where_many_came_at_one_moment(site, many):
    all_records = all_pages(site, most=4)
    assert len(all_records) == len({record.pk for record in all_records}) == 21
    assert [record.received for record in all_records] == sorted((record.received for record in all_records), reverse=True)


def test_records_that_come_meanwhile_move_nothing(site, many):
    first = record_list.newest(site, Event, most=4)
    receive(site, [click(event_id="late")])
    second = record_list.newest(site, Event, after=first.next, most=4)
    assert not {record.pk for record in first.records} & {record.pk for record in second.records}


def test_an_action_is_looked_for_a_stretch_at_a_time(site, many, monkeypatch):
    monkeypatch.setattr(record_list, "FAR", 5)
    assert [record.action for record in all_pages(site, action="buy")] == ["buy"] * 3
    assert record_list.newest(site, Event, action="never").looked_through == 5


@pytest.fixture
def days(site):
    """Searches of the 20th, one a minute, sent on that day and with those of the 21st two days later."""
    for day in (20, 22):
        sent = [query(f"{day}-{n}", timestamp=f"2026-11-20T{day}:{n:02}:00Z") for n in range(3)]
        receive(site, sent, now=datetime(2026, 11, day, 23, tzinfo=UTC))
    receive(site, [query("next", timestamp="2026-11-21T00:00:00Z")], now=datetime(2026, 11, 22, 23, tzinfo=UTC))


def test_a_day_has_what_happened_then_whenever_it_came(site, days):
    page = record_list.of_day(site, Query, date(2026, 11, 20), most=4)
    rest = record_list.of_day(site, Query, date(2026, 11, 20), most=4, after=page.next)
    assert [record.time.day for record in page.records + rest.records] == [20] * 6
    assert [record.received.day for record in page.records + rest.records] == [20, 20, 20, 22, 22, 22]
    assert rest.next is None and not record_list.of_day(site, Query, date(2026, 11, 19)).records


def test_a_day_is_looked_for_a_stretch_at_a_time(site, days, monkeypatch):
    monkeypatch.setattr(record_list, "FAR", 2)
    place, records = None, []
    while True:
        page = record_list.of_day(site, Query, date(2026, 11, 21), after=place)
        records, place = records + page.records, page.next
        if place is None:
            break
        assert page.looked_through == 2
    assert [record.time.day for record in records] == [21]


@pytest.mark.parametrize("hours", [1, 2, 9])
def test_pages_go_on_among_archived_records(site, many, hours, monkeypatch):
    """Also where records of the same moment, or an earlier one, are still in their table."""
    before = [record.pk for record in all_pages(site, most=4)]
    bought = [record.pk for record in all_pages(site, action="buy")]
    actions = record_list.actions(site)
    assert "buy" in actions
    start = Event.objects.earliest("received").received
    stretch = moves.Stretch(start, start + timedelta(hours=hours), 0)
    assert moves.move(site, "events", stretch._replace(rows=Event.objects.filter(received__lt=stretch.until).count()))
    assert [record.pk for record in all_pages(site, most=4)] == before
    assert [record.pk for record in all_pages(site, action="buy")] == bought
    assert record_list.actions(site) == actions
    receive(site, [click(event_id="late")], now=start)
    assert len(all_pages(site, most=4)) == 22


@pytest.fixture
def archived_days(site, monkeypatch):
    """Six days of six events, one of them a purchase, each day in files by their clients; a click of each comes a day late."""
    monkeypatch.setattr(moves, "LEAST", 1)
    monkeypatch.setattr(moves, "ROWS_A_FILE", 3)
    start = datetime(2026, 11, 1, 12, tzinfo=UTC)
    for day in range(6):
        noon = start + timedelta(days=day)
        sent = [click(event_id=f"{day}-{n}", client_id=f"c{n}", timestamp=noon.isoformat()) for n in range(5)]
        sent[4]["timestamp"] = (noon - timedelta(days=1)).isoformat()
        sent += [click(event_id=f"{day}-buy", action_name="buy", client_id="c1", timestamp=noon.isoformat())]
        for minute in range(2):
            receive(site, sent[3 * minute :][:3], now=noon + timedelta(minutes=minute))
    pages = {"all": all_pages(site, most=4), "buy": all_pages(site, action="buy", most=4)}
    moves.archive(site, before=start + timedelta(days=20))
    assert len({file.first.day for file in ArchiveFile.objects.all()}) == 6 <= ArchiveFile.objects.count()
    return {name: [record.pk for record in records] for name, records in pages.items()}


@pytest.fixture
def opened(monkeypatch):
    """The days of the files that are opened from now on."""
    days, whole = [], lookups.paths_of
    monkeypatch.setattr(
        lookups, "paths_of", lambda files, folder: days.extend(file.first.day for file in files) or whole(files, folder)
    )
    return days


def test_a_page_opens_the_newest_files_that_have_enough(site, archived_days, opened):
    place, records = None, []
    while place or not records:
        opened.clear()
        page = record_list.newest(site, Event, after=place, most=4)
        assert len(set(opened)) <= 2 and len(page.records) == 4 and page.looked_through is None
        records, place = records + page.records, page.next
    assert [record.pk for record in records] == archived_days["all"]


def test_an_action_is_looked_for_in_a_stretch_of_files_at_a_time(site, archived_days, opened, monkeypatch):
    monkeypatch.setattr(record_list, "FAR", 10)
    first = record_list.newest(site, Event, action="buy", most=4)
    assert set(opened) == {5, 6} and first.looked_through == 12
    assert [record.pk for record in all_pages(site, action="buy", most=4)] == archived_days["buy"]
    opened.clear()
    assert not record_list.newest(site, Event, action="never").records and set(opened) == {5, 6}


def test_a_day_opens_the_files_that_may_have_some_of_it(site, archived_days, opened, monkeypatch):
    assert len(record_list.of_day(site, Event, date(2026, 11, 3)).records) == 6
    assert set(opened) == {3, 4}
    monkeypatch.setattr(record_list, "FAR", 3)
    pages, after = [], None
    while not pages or after:  # which clients share a file is chance
        opened.clear()
        page = record_list.of_day(site, Event, date(2026, 11, 3), after=after)
        pages.append((len(page.records), set(opened), page.looked_through))
        after = page.next
    assert sum(records for records, _, _ in pages) == 6 and len(pages) > 1
    (_, first, looked_through), (_, last, _) = pages[0], pages[-1]
    assert first == {3} and 3 < looked_through <= 6
    assert 4 in last


def test_a_search_opens_the_files_about_its_time(site, opened, tmp_path):
    """All of a log may have been loaded within an hour."""
    for day in (5, 10, 15):
        (tmp_path / "log").write_text(json.dumps(click(timestamp=f"2026-11-{day:02}T12:00:00Z")))
        import_file(site, tmp_path / "log", into_archive=True)
    event = record_list.newest(site, Event).records[1]
    opened.clear()
    assert record_list.search_of(site, event).records == [event] and len(opened) == 1


def test_a_day_and_a_search_have_archived_records(rita, site, days):
    receive(
        site,
        [click("d2", "20-1", message="hello", timestamp="2026-11-20T20:01:05Z")],
        now=datetime(2026, 11, 20, 23, 5, tzinfo=UTC),
    )
    before = record_list.of_day(site, Query, date(2026, 11, 20))
    event = Event.objects.get()
    moves.archive(site, before=datetime(2026, 11, 22, tzinfo=UTC))
    assert Query.objects.count() == 4 and not Event.objects.exists()
    after = record_list.of_day(site, Query, date(2026, 11, 20))
    assert [vars(record) | {"_state": 0} for record in after.records] == [
        vars(record) | {"_state": 0} for record in before.records
    ]
    assert len(record_list.of_day(site, Query, date(2026, 11, 20), most=2).records) == 2
    record = record_list.record_at(site, record_list.place_of(event))
    assert [type(row) for row in record_list.search_of(site, record).records] == [Query, Event]
    assert "hello" in rita.get(reverse("site_record", args=[site.pk, record_list.place_of(event)])).content.decode()


def test_the_page_shows_the_searches_of_a_day(rita, site, days):
    shown = records(rita, site, kind="queries", day="2026-11-21")
    assert shown.count("2026-11-21 00:00:00") == 1 and "2026-11-20 20:" not in shown
    assert "Nothing of that day" in records(rita, site, kind="queries", day="2026-11-19")


@pytest.mark.parametrize("day", ["", "x", "2026-13-01", "0001-01-01", "9999-12-31"])
def test_days_that_are_none_show_the_newest(rita, site, many, day):
    assert "buy" in records(rita, site, day=day)


def test_a_place_survives_being_written(site, many):
    place = record_list.place_of(Event.objects.first())
    assert record_list.place_in(str(place)) == place


@pytest.mark.parametrize("text", ["", "x", "1-2", "9" * 16 + "-" + "f" * 32, "-1-" + "0" * 32, "1-" + "g" * 32, "1 -" + "0" * 32])
def test_places_that_are_none_show_the_newest(rita, site, many, text):
    assert rita.get(reverse("site_records", args=[site.pk]), {"after": text}).status_code == 200
    assert rita.get(reverse("site_record", args=[site.pk, text or "0"])).status_code == 404


def test_the_page_shows_both_times_and_what_was_sent(rita, site):
    now = timezone.now()
    receive(site, [click("d2", colour="red")], now=now)
    shown = records(rita, site)
    assert "2026-11-20 10:00:05" in shown
    assert f"{now:%Y-%m-%d %H:%M:%S}" in shown
    assert "&quot;colour&quot;: &quot;red&quot;" in shown
    assert "&quot;c1&quot;" not in re.findall(r"<pre.*?</pre>", shown, re.DOTALL)[0]


def test_queries_have_a_page_of_their_own_with_their_arms(rita, site):
    receive(site, [query(query_attributes={"experiment": "new", "arm": "b"}), click()])
    shown = records(rita, site, kind="queries")
    assert "diet of owls" in shown
    assert "new: b" in shown


def test_markup_in_a_record_is_text(rita, site):
    bad = "<script>alert(1)</script>"
    receive(site, [query(user_query=bad, query_id="q1"), click(action_name=bad, query_id="q1", timestamp="2026-11-20T10:00:00Z")])
    place = record_list.place_of(Query.objects.get())
    shown = [
        records(rita, site),
        records(rita, site, kind="queries"),
        rita.get(reverse("site_record", args=[site.pk, place])).content.decode(),
    ]
    for text in shown:
        assert bad not in text
        assert "&lt;script&gt;alert(1)" in text


def test_nothing_yet_says_where_to_go(rita, site):
    assert "None yet" in records(rita, site)
    receive(site, [click()])
    assert "No such event" in records(rita, site, q="never")
    assert "That was the oldest." in records(rita, site, after="1-" + "0" * 32)


def test_a_search_is_shown_with_what_followed(rita, site):
    receive(site, [click("d2", number=1, seconds=9), query(1), click("d3", number=2), click("d1", number=1, seconds=3)])
    search = record_list.search_of(site, Event.objects.get(object="d2"))
    assert [str(record) for record in search.records] == ["diet of owls", "click d1", "click d2"]
    assert search.whole
    shown = rita.get(reverse("site_record", args=[site.pk, record_list.place_of(search.records[2])])).content.decode()
    assert shown.index("diet of owls") < shown.index("d1</td>") < shown.index("d2</td>")
    assert "d3</td>" not in shown


def test_it_says_when_not_all_of_a_search_may_be_there(site, monkeypatch):
    monkeypatch.setattr(record_list, "FAR", 2)
    now = timezone.now()
    for minute in range(6):
        receive(site, [click(number=minute % 2, seconds=minute)], now=now + timedelta(minutes=minute))
    search = record_list.search_of(site, Event.objects.order_by("received")[0])
    assert not search.whole
    assert len(search.records) == 2


def test_a_record_without_a_query_id_stands_alone(rita, site):
    receive(site, [click(query_id=None)])
    event = Event.objects.get()
    assert record_list.search_of(site, event) == ([event], True)
    assert rita.get(reverse("site_record", args=[site.pk, record_list.place_of(event)])).status_code == 200


def test_readers_see_no_single_record(site, reader):
    receive(site, [query(), click()])
    place = record_list.place_of(Event.objects.get())
    for name, *args in (("site_records",), ("site_record", place), ("site_quarantine",), ("site_settings",)):
        assert reader.get(reverse(name, args=[site.pk, *args])).status_code == 404


def test_records_of_another_site_are_not_found_by_their_place(rita, site, researcher):
    from judging.logs import sites

    other = sites.make(by=researcher, name="Other")
    receive(other, [click()])
    assert rita.get(reverse("site_record", args=[site.pk, record_list.place_of(Event.objects.get())])).status_code == 404
