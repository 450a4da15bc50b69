"""Sentry, where SENTRY_DSN names one: errors with their tracebacks, and nothing of whoever met them."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from ireval_site.redaction import redacted
from ireval_site.request_ids import request_id

# Of a request: what was asked, not by whom, nor what was sent along.
OF_A_REQUEST = ("method", "url")


def start(dsn: str) -> None:
    """Send errors from now on. Values of variables, bodies, cookies and queries are left out: they hold answers and names."""
    try:
        import sentry_sdk  # noqa: PLC0415  not installed, nor loaded, where nobody wants it
        from sentry_sdk.integrations.atexit import AtexitIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.celery import CeleryIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.dedupe import DedupeIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.django import DjangoIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.excepthook import ExcepthookIntegration  # noqa: PLC0415
        from sentry_sdk.integrations.logging import LoggingIntegration  # noqa: PLC0415
    except ImportError:
        raise ImproperlyConfigured("SENTRY_DSN is set, but sentry-sdk is not installed: pip install sentry-sdk.") from None
    unasked, errors = [AtexitIntegration(), DedupeIntegration(), ExcepthookIntegration()], LoggingIntegration()
    try:
        sentry_sdk.init(
            dsn=dsn,
            default_integrations=False,  # others would write into what this server sends to third parties
            auto_enabling_integrations=False,
            integrations=[DjangoIntegration(), CeleryIntegration(propagate_traces=False), errors, *unasked],
            send_default_pii=False,
            include_local_variables=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            auto_session_tracking=False,
            before_send=without_people,
        )
    except sentry_sdk.utils.BadDsn as problem:
        raise ImproperlyConfigured(f"SENTRY_DSN: {problem}. Expected an address as Sentry shows it.") from None


def without_people(event: Any, _hint: Any) -> Any:
    """The event without what is secret or says who it was, with the id by which the log has more."""
    for told in ("user", "extra", "breadcrumbs"):
        event.pop(told, None)
    if request := event.get("request"):
        event["request"] = {name: request[name] for name in OF_A_REQUEST if name in request}
    event["tags"] = {**event.get("tags", {}), **({"request_id": request_id()} if request_id() else {})}
    return all_redacted(event)


def all_redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, dict):
        return {name: all_redacted(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [all_redacted(inner) for inner in value]
    return value
