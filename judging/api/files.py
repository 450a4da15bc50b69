"""Files that the API gives out."""

from collections.abc import Iterable, Iterator
from itertools import chain

from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from judging.collections.file_types import FILE_TYPES
from judging.labels.exports import CONTENT_TYPES
from judging.models import Attachment, Image


def chosen_format(query: dict, formats: Iterable[str]) -> str:
    """The `format` of a query string, the first one if it names none; anything else is a 400."""
    formats = list(formats)
    chosen = query.get("format", formats[0])
    if chosen not in formats:
        raise serializers.ValidationError({"format": [f"“{chosen}” is not one of {', '.join(formats)}."]})
    return chosen


def attachment(content: Iterator[bytes], filename: str, form: str) -> StreamingHttpResponse:
    """The content as a download. What TREC's columns cannot carry is found with the first portion, before anything is sent."""
    first = next(content, b"")
    response = StreamingHttpResponse(chain([first], content), content_type=CONTENT_TYPES[form])
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


# The others are downloaded: browsers run programs to show them.
INLINE = {"png", "jpeg", "webp", "gif", "txt"}
NOTHING_ACTS = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


def stored_file(file: Image | Attachment, *, name: str = "") -> FileResponse:
    """What somebody added, served so that nothing in it can act: its type by its bytes, no other guessed, a sandbox around.

    It is saved under its own name, or under the one given.
    """
    try:
        content = default_storage.open(str(file.file.name))
    except FileNotFoundError:
        raise Http404("The file is missing from the storage.") from None
    response = FileResponse(
        content,
        content_type=FILE_TYPES[file.kind].content_type,
        as_attachment=file.kind not in INLINE,
        filename=name or file.name.rsplit("/", 1)[-1],
    )
    response.headers["Content-Security-Policy"] = NOTHING_ACTS
    response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def format_parameter(formats: Iterable[str]) -> OpenApiParameter:
    formats = list(formats)
    return OpenApiParameter("format", str, enum=formats, default=formats[0], description="The format of the file.")


def file_responses(formats: Iterable[str]) -> dict:
    """For the schema: the file under each of its content types."""
    types = {CONTENT_TYPES[form] for form in formats}
    return {(200, content_type): OpenApiTypes.BINARY for content_type in sorted(types)}
