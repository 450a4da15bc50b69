"""What the verbs refuse, as answers: each of their exceptions has one status, wherever it was raised."""

from typing import Any

from django.core.exceptions import SuspiciousOperation
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.response import Response
from rest_framework.views import exception_handler

from judging.deleting import InUse
from judging.launching import CannotLaunch
from judging.recording import Refused
from judging.results import NothingYet
from judging.storing import Taken
from metrics.engine.files import BadFile


class Conflict(APIException):
    """What was asked is well formed, but not possible as things stand."""

    status_code = 409
    default_code = "conflict"


def explain(error: Exception, context: dict[str, Any]) -> Response | None:
    return exception_handler(as_answer(error), context)


def as_answer(error: Exception) -> Exception:
    if isinstance(error, Taken | CannotLaunch | NothingYet | InUse):
        return Conflict(str(error))
    if isinstance(error, Refused):
        return ParseError(str(error))
    if isinstance(error, BadFile):
        return ValidationError({"problems": [str(problem) for problem in error.problems]})
    if isinstance(error, SuspiciousOperation):  # too many fields, a damaged multipart body
        return ParseError(str(error))
    return error
