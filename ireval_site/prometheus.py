"""Numbers for Prometheus: how fast each route is answered, and what database, broker and disk say when somebody asks."""

import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db.models import Count, Max, Min
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from ireval_site import condition, disk_use, health, shared_counts
from ireval_site.condition import NEEDED, NO_ANSWER
from judging.background import status
from judging.models import Event, Execution, Judgement, ParkedTask, Quarantined, Query, Site, Slot, Study
from metrics.models import Report

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
LATELY = timedelta(seconds=10)

request_seconds = Histogram(
    "ireval_request_seconds",
    "Seconds until an answer begins, by the name of the route.",
    ["route", "status"],
    buckets=BUCKETS,
    registry=None,
)


def timed(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Measure how long answers take, where somebody may ask for it."""
    if not settings.METRICS_TOKEN:
        raise MiddlewareNotUsed

    def answer(request: HttpRequest) -> HttpResponse:
        begun = time.perf_counter()
        response = get_response(request)
        route = request.resolver_match.view_name if request.resolver_match else "none"
        request_seconds.labels(route, f"{response.status_code // 100}xx").observe(time.perf_counter() - begun)
        return response

    return answer


@require_safe
def prometheus(request: HttpRequest) -> HttpResponse:
    """All numbers, for who has the token; there is no such page for others."""
    expected, given = f"Bearer {settings.METRICS_TOKEN}", request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not secrets.compare_digest(given.encode(), expected.encode()):
        raise Http404
    registry = CollectorRegistry()
    if shared_counts.VARIABLE in os.environ:
        MultiProcessCollector(registry)
    else:
        registry.register(request_seconds)
    registry.register(Installation())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class Installation:
    """The installation as it is when somebody asks. Metrics of a server that does not answer are left out."""

    def collect(self) -> Iterator[Metric]:
        failures = health.failures()
        yield gauge("part_ok", "1 if the part works, 0 if not.", {part: not why for part, why in failures.items()}, label="part")
        answering = {server for server, checks in NEEDED.items() if NO_ANSWER not in map(failures.get, checks)}
        if "disk" in answering:
            yield gauge("disk_free_bytes", "Free where the files are.", shutil.disk_usage(disk_use.folder()).free)
        if "broker" in answering and settings.REDIS_URL:
            yield gauge("queue_messages", "Tasks that the broker has and no Celery worker has begun.", condition.queued())
        if "database" in answering:
            for numbers in (background, judging, records, reports):
                yield from numbers()
            yield gauge("database_bytes", "What the database takes.", disk_use.database_bytes())


def background() -> Iterator[Metric]:
    outbox = condition.unsent().aggregate(waiting=Count("pk"), oldest=Min("created"))
    yield gauge("outbox_messages", "Messages for Celery that have not been sent.", outbox["waiting"])
    yield gauge("outbox_age_seconds", "How long the oldest of them has waited.", age(outbox["oldest"]))
    yield gauge("background_silence_seconds", "Since a task ended or gave a sign of life.", age(status.last_sign()))
    yield gauge("sweep_age_seconds", "Since the sweep ended that comes every three seconds.", age(status.last_sweep()))
    yield gauge("sweeps_failing", "Long sweeps that failed and have not gone well since.", status.failing().count())
    yield gauge("tasks_running", "Tasks that are being run.", len(status.under_way()))
    yield gauge("tasks_failed", "Attempts of a day that failed and may be repeated.", Execution.objects.exclude(error="").count())
    yield gauge("tasks_parked", "Tasks given up after three attempts.", ParkedTask.objects.count())


def judging() -> Iterator[Metric]:
    newest = Judgement.objects.aggregate(newest=Max("pk"))["newest"] or 0
    yield CounterMetricFamily("ireval_judgements", "Judgements stored; the number of the newest.", value=newest)
    of_running = Slot.objects.filter(study__state=Study.State.RUNNING, judged_at=None, number__isnull=False)
    yield gauge("slots_open", "Places for a judgement in studies that run.", of_running.count())


def records() -> Iterator[Metric]:
    """Counted over ten seconds: a whole minute of a busy site takes the database a second."""
    sites, since = list(Site.objects.values_list("pk", flat=True)), timezone.now() - LATELY
    lately = {
        kind: model.objects.filter(site__in=sites, received__gt=since).count() / LATELY.total_seconds()
        for kind, model in (("query", Query), ("event", Event))
    }
    yield gauge("records_per_second", "Records of sites stored within ten seconds, by second.", lately, label="kind")
    refused = Quarantined.objects.filter(site__in=sites, received__gt=timezone.now() - condition.RECENTLY, replayed=None)
    yield gauge("refused_records", "Records of sites refused within a week.", refused.count())


def reports() -> Iterator[Metric]:
    by_state = dict(Report.objects.values_list("state").annotate(n=Count("pk")).order_by())
    yield gauge("reports", "Reports by state.", {str(state): by_state.get(state, 0) for state in Report.State}, label="state")
    yield gauge(
        "reports_slow", "Reports asked for more than ten minutes ago, without an answer.", condition.slow_reports().count()
    )


def age(moment: datetime | None) -> float:
    return (timezone.now() - moment).total_seconds() if moment else 0


def gauge(name: str, about: str, value: float | Mapping[str, float], *, label: str = "") -> Metric:
    family = GaugeMetricFamily(f"ireval_{name}", about, labels=[label] if label else ())
    for of, number in value.items() if isinstance(value, Mapping) else [("", value)]:
        family.add_metric([of] if label else (), number)
    return family
