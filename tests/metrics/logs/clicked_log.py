"""Searches and clicks of a small site, and the click report computed part by part as Celery workers would."""

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def search(number, text="diet of owls", shown="a b c", clicked="", who=None, minute=0, **more):
    """Records of a search: words in `shown` are documents from the top, those in `clicked` are clicked in this order."""
    moment = NOON + timedelta(minutes=minute, seconds=7 * number)
    about = {"query_id": f"q{number}", "client_id": who or f"c{number}", **more}
    records = [{**about, "user_query": text, "timestamp": moment.isoformat(), "query_response_hit_ids": shown.split()}]
    for second, document in enumerate(clicked.split(), start=1):
        at = (moment + timedelta(seconds=second)).isoformat()
        event = {"action_name": "click", "timestamp": at, "event_attributes": {"object": {"object_id": document}}}
        records.append({**about, **event})
    return records


def computed(site, **window):
    """The newest report of all that is kept, or of a window."""
    from metrics import tasks
    from metrics.kinds.clicks.freshness import request_click_report

    report = request_click_report(site, **({"days": None} | window))
    tasks.begin_report(report.pk)
    for number in report.parts.values_list("name", flat=True):
        tasks.compute_part(report.pk, number)
    report.refresh_from_db()
    assert report.state == "done", report.error
    return report
