"""Middleware for the answers of all views."""

import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render, resolve_url
from django.utils import translation
from django.utils.cache import patch_vary_headers

from ireval_site.redaction import BELOW
from judging.collections.storage import MissingFile
from judging.errors import Refusal

log = logging.getLogger(__name__)

Answer = Callable[[HttpRequest], HttpResponse]
# Forms are checked by their origin, which must stay there; a shared report has none.
SECRET_ADDRESSES = {f"/{name}/": "no-referrer" if name == "shared" else "strict-origin" for name in BELOW}
WORKERS_ADDRESSES = ("/join/", "/arrive/", "/judge/", "/language/", "/open/")
# What programs that watch ask for. They come from inside: without TLS, and by whatever name or address a process has there.
WATCHED = ("/healthz", "/readyz", "/metrics")
# What programs read, Django's own pages of data, and the documentation are in English alone.
IN_ENGLISH = ("/api/", "/admin/", "/docs/", *WATCHED)


class PolicyBuiltOnce(CSPMiddleware):
    """The content security policy, built once for all pages without a nonce: building it cost as much as a query."""

    def __init__(self, get_response: Answer):
        super().__init__(get_response)
        self.usual = build_policy()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if settings.DEBUG or getattr(request, "_csp_nonce", None):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self.usual)
        return response


def watched_by_any_name(get_response: Answer) -> Answer:
    """Let programs that watch call this host as they like: nothing in what they are told depends on it."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path_info in WATCHED:
            request.META["HTTP_HOST"] = "localhost"
        return get_response(request)

    return answer


def everybody_reads_their_language(get_response: Answer) -> Answer:
    """Show pages in the language that was chosen, else the first of the browser's that we have, else English."""

    def answer(request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(IN_ENGLISH):
            return get_response(request)
        if request.path_info.startswith(WORKERS_ADDRESSES):
            request.shell = "base_worker.html"  # type: ignore[attr-defined]  # error pages without navigation
        with translation.override(translation.get_language_from_request(request)):
            response = get_response(request)
        if not response.streaming and response.content:
            patch_vary_headers(response, ["Accept-Language", "Cookie"])
        return response

    return answer


def secret_addresses_are_not_told(get_response: Answer) -> Answer:
    """Have pages with a secret address send no more than their origin as referrer to what they link to or load.

    A proxy may log where a request came from.
    """

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for beginning, policy in SECRET_ADDRESSES.items():
            if request.path_info.startswith(beginning):
                response["Referrer-Policy"] = policy
        return response

    return answer


def parts_of_pages_vary(get_response: Answer) -> Answer:
    """Tell caches that htmx gets a part of a page at the page's address, so that none shows the part as the page."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ["HX-Request", "HX-Target"])
        return response

    return answer


def whole_pages_ask_to_sign_in(get_response: Answer) -> Answer:
    """Have htmx load the whole page anew once somebody is signed out: else the page to sign in would stand within the old one."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_part = response.status_code == 302 and "HX-Request" in request.headers
        if is_part and urlsplit(response["Location"]).path == resolve_url(settings.LOGIN_URL):
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return response

    return answer


class RefusalsExplained:
    """A page for what a verb refused and no view has caught, and for missing files of runs and missing grades."""

    def __init__(self, get_response: Answer):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, Refusal):
            return render(request, "409.html", {"reason": str(exception), "is_refusal": True}, status=exception.status)
        if not isinstance(exception, MissingFile):
            return None
        log.error("%s", exception)
        return render(request, "409.html", {"reason": exception.told_to(request.user)}, status=409)


def explain_wrong_methods(get_response: Answer) -> Answer:
    """Answer with a page where Django would send an empty one, for addresses that only a form's button may call."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != 405 or response.content:
            return response
        page = render(request, "405.html", status=405)
        page["Allow"] = response["Allow"]
        return page

    return answer
