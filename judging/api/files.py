"""Files that the API gives out."""

from collections.abc import Iterable, Iterator
from itertools import chain

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from judging.api.errors import Conflict
from judging.labels.exports import CONTENT_TYPES


def chosen_format(query: dict, formats: Iterable[str]) -> str:
    """The `format` of a query string, the first one if it names none; anything else is a 400."""
    formats = list(formats)
    chosen = query.get("format", formats[0])
    if chosen not in formats:
        raise serializers.ValidationError({"format": [f"“{chosen}” is not one of {', '.join(formats)}."]})
    return chosen


def attachment(content: Iterator[bytes], filename: str, form: str) -> StreamingHttpResponse:
    """The content as a download. What TREC's columns cannot carry is found with the first portion, before anything is sent."""
    try:
        first = next(content, b"")
    except ValueError as error:
        raise Conflict(f"{error}. Choose another format.") from None
    response = StreamingHttpResponse(chain([first], content), content_type=CONTENT_TYPES[form])
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


def format_parameter(formats: Iterable[str]) -> OpenApiParameter:
    formats = list(formats)
    return OpenApiParameter("format", str, enum=formats, default=formats[0], description="The format of the file.")


def file_responses(formats: Iterable[str]) -> dict:
    """For the schema: the file under each of its content types."""
    types = {CONTENT_TYPES[form] for form in formats}
    return {(200, content_type): OpenApiTypes.BINARY for content_type in sorted(types)}
