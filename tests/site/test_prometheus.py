"""What Prometheus reads: numbers for who has the token, of every part that answers; alerts and dashboard ask for no others."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from ireval_site import condition, health, prometheus
from judging.background.executions import park
from judging.logs.partitions import make_month
from judging.models import Event, Execution, Judgement, Outbox, Site, TaskEnd
from tests.servers import free_port

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
TOKEN = "read-only-0123456789"


@pytest.fixture
def scrape(client, settings, monkeypatch):
    """Ask as Prometheus does; the numbers by name and label."""
    settings.METRICS_TOKEN = TOKEN
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 60)

    def numbers(token=TOKEN) -> dict[tuple[str, ...], float]:
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200, answer.content
        families = text_string_to_metric_families(answer.content.decode())
        return {(sample.name, *sample.labels.values()): sample.value for family in families for sample in family.samples}

    return numbers


@pytest.mark.parametrize("shown", ["", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer ", "Bearer é"])
def test_there_is_no_such_page_for_who_has_not_the_token(client, settings, shown):
    settings.METRICS_TOKEN = TOKEN
    assert client.get("/metrics", headers={"Authorization": shown}).status_code == 404


def test_without_a_token_there_is_no_such_page_for_anybody(client):
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_answers_are_counted_by_route_and_only_where_somebody_may_ask(db, client, scrape):
    counted = ("ireval_request_seconds_count", "docs_page", "4xx")
    before = scrape().get(counted, 0)
    client.get("/docs/nowhere/")
    client.get("/docs/elsewhere/")
    assert scrape()[counted] == before + 2
    assert ("ireval_request_seconds_count", "none", "4xx") not in scrape()
    client.get("/nowhere/")
    assert ("ireval_request_seconds_count", "none", "4xx") in scrape()


def test_without_a_token_nothing_is_measured(client):
    before = list(prometheus.request_seconds.collect())
    client.get("/docs/")
    assert list(prometheus.request_seconds.collect()) == before


def test_it_says_how_background_work_goes(db, scrape):
    now = timezone.now()
    Execution.objects.create(task="a", digest="x", message="m")
    Execution.objects.create(task="b", digest="y", message="n", error="ValueError")
    park("a task", {}, starts=3, between=(now, now), reason="killed")
    TaskEnd.objects.create(task="judging.tasks.sweep_outbox", ended=now - timedelta(hours=2))
    waiting = Outbox.objects.create(task="c")
    Outbox.objects.filter(pk=waiting.pk).update(created=now - timedelta(minutes=2))
    numbers = scrape()
    assert [numbers[f"ireval_{name}",] for name in ("tasks_running", "tasks_failed", "tasks_parked", "outbox_messages")] == [
        1
    ] * 4
    assert 120 <= numbers["ireval_outbox_age_seconds",] < 1000
    assert numbers["ireval_background_silence_seconds",] < 1000
    assert 7200 <= numbers["ireval_sweep_age_seconds",] < 8000
    assert numbers["ireval_part_ok", "background"] == 0 and numbers["ireval_part_ok", "database"] == 1


def test_it_counts_judgements_and_what_is_left_to_judge(running, make_worker, scrape):
    before = scrape()
    slot = running.slots.first()
    worker = make_worker(running)
    running.slots.filter(pk=slot.pk).update(worker=worker, leased_until=timezone.now(), judged_at=timezone.now())
    made = Judgement.objects.create(key="0" * 31 + "1", item=slot.item, worker=worker, slot=slot, grade=1)
    after = scrape()
    assert after["ireval_slots_open",] == before["ireval_slots_open",] - 1 > 0
    assert after["ireval_judgements_total",] == made.pk


def test_it_says_how_many_records_come_in(researcher, scrape):
    site, now = Site.objects.create(name="Shop", owner=researcher), timezone.now()
    for number, received in enumerate([now, now, now - timedelta(minutes=1)]):
        make_month(received)
        Event.objects.create(site=site, identity=f"{number:032}", received=received, time=received, action="click", raw={})
    assert scrape()["ireval_records_per_second", "event"] == 2 / 10
    assert scrape()["ireval_records_per_second", "query"] == 0


def test_what_is_away_is_left_out(db, scrape, settings, monkeypatch):
    monkeypatch.setattr(condition, "LITTLE_SPACE", 2**70)
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    monkeypatch.setattr("celery.current_app.conf.broker_write_url", settings.REDIS_URL)
    numbers = scrape()
    assert numbers["ireval_part_ok", "disk"] == numbers["ireval_part_ok", "broker"] == 0
    assert ("ireval_queue_messages",) not in numbers
    assert numbers["ireval_disk_free_bytes",] > 0 and numbers["ireval_database_bytes",] > 0


NAME = re.compile(r"\bireval_\w+")


def expressions() -> dict[str, list[str]]:
    """What alerts and panels ask for."""
    groups = yaml.safe_load((DEPLOY / "prometheus-alerts.yml").read_text())["groups"]
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    asked = {rule["alert"]: [rule["expr"]] for group in groups for rule in group["rules"]}
    return asked | {panel["title"]: [target["expr"] for target in panel["targets"]] for panel in panels if panel["type"] != "row"}


def test_alerts_and_dashboard_ask_for_what_there_is_and_for_all_of_it(db, scrape, settings):
    settings.REDIS_URL = settings.REDIS_URL or "memory://"
    scrape()
    there = {name for name, *_ in scrape() if not name.endswith("_created")}
    asked = {name for asked in expressions().values() for expression in asked for name in NAME.findall(expression)}
    assert asked - there == set()
    unseen = {name for name in there - asked if name.removesuffix("_sum").removesuffix("_count") + "_bucket" not in asked}
    assert unseen == set()


def test_the_page_says_what_to_do_about_each_alert():
    page = (ROOT / "docs" / "how-to" / "watching.md").read_text()
    alerts = [name for name in expressions() if name.startswith("Ireval")]
    assert re.findall(r"^\| (Ireval\w+) \|", page, re.MULTILINE) == alerts
