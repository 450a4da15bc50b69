"""Errors of the verbs as answers: each of their exceptions has one status, wherever it was raised."""

import logging
from dataclasses import asdict
from typing import Any

from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from rest_framework.exceptions import APIException, NotFound, ParseError, Throttled, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from ireval.io.files import BadFile
from judging.api.parsers import BodyTooLarge
from judging.collections import uploads
from judging.collections.storage import MissingFile
from judging.errors import BadFields, Refusal, TooOften
from judging.faults import PAUSE_SECONDS, fault_of, told_to_programs

log = logging.getLogger(__name__)


class Conflict(APIException):
    """What was asked is well formed, but not possible as things stand."""

    status_code = 409
    default_code = "conflict"


class Unavailable(APIException):
    """A fault of the machine, for a moment: what was being done is undone, or was done and not heard of."""

    status_code = 503
    default_code = "away"
    wait = PAUSE_SECONDS


# What the verbs refuse, by the status that each refusal names.
OF_STATUS: dict[int, type[APIException]] = {
    answer.status_code: answer for answer in (ParseError, NotFound, Conflict, BodyTooLarge, Unavailable)
}
# Errors that are no refusals: of the library and Django.
ANSWERS: dict[type[Exception], type[APIException]] = {
    BadFile: ParseError,
    SuspiciousOperation: ParseError,  # too many fields, a damaged multipart body
}


def explain(error: Exception, context: dict[str, Any]) -> Response | None:
    """The exception handler of the API."""
    if isinstance(error, MissingFile):
        log.error("%s", error)
        error = Conflict(error.told_to(context["request"].user))
    response = exception_handler(as_answer(error), context)
    if isinstance(error, BadFile) and response is not None:
        response.data["problems"] = [asdict(problem) for problem in error.problems]
    if isinstance(error, uploads.OutOfStep) and response is not None:
        response.data["received"] = error.received
    return response


def as_answer(error: Exception) -> Exception:
    if isinstance(error, RequestDataTooBig):
        return BodyTooLarge()
    if fault := fault_of(error):
        log.warning("%s (%s)", fault, error)
        return Unavailable(told_to_programs(fault))
    if isinstance(error, TooOften):
        return Throttled(error.wait, str(error))
    if isinstance(error, BadFields):
        return ValidationError(error.message_dict)
    if isinstance(error, Refusal):
        return OF_STATUS[error.status](str(error))
    answer = next((answer for kind, answer in ANSWERS.items() if isinstance(error, kind)), None)
    return answer(str(error)) if answer else error
