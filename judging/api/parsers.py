"""Parsers that bound what a request may carry. Django bounds what goes through `request.body`; these bound what is read past
it."""

import json
import math
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError, ValidationError
from rest_framework.parsers import BaseParser, JSONParser, MultiPartParser

from judging.database.json_values import SUSPICIOUS, why_not_kept

MOST_ENTRIES = 10_000  # of one list or object
MOST_VALUES = 100_000  # of one request


class BodyTooLarge(APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = "The body is too large for one request. Send large files as an upload, in chunks."


class BoundedJSON(JSONParser):
    """JSON of bounded depth and length, whose numbers are numbers and whose characters a database can hold."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            text = stream.read().decode()
            content = json.loads(text, parse_constant=no_number, parse_float=finite)
            if SUSPICIOUS.search(text):
                refuse_what_is_not_kept(content)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from None
        refuse_long(content)
        return content


def refuse_what_is_not_kept(content: Any) -> None:
    """Name the field that holds, however deeply, half of a surrogate pair or a null character: no database keeps those."""
    fields = content.items() if isinstance(content, dict) else [("detail", content)]
    for name, value in fields:
        if why := why_not_kept([name, value]):
            raise ValidationError({"detail" if why_not_kept(name) else name: [why]})


def no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON's")


def finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"the number {text[:40]} is too large")
    return number


def refuse_long(content: Any) -> None:
    """Refuse lists and objects that are so long that counting their entries later would take long."""
    entries, waiting = 0, [content]
    while waiting:
        value = waiting.pop()
        if not isinstance(value, list | dict):
            continue
        entries += len(value)
        if len(value) > MOST_ENTRIES:
            raise ParseError(f"A list has {len(value):,} entries; at most {MOST_ENTRIES:,} are accepted.")
        if entries > MOST_VALUES:
            raise ParseError(f"There are more than {MOST_VALUES:,} values in the request; send fewer at a time.")
        waiting += [entry for entry in (value.values() if isinstance(value, dict) else value) if isinstance(entry, list | dict)]


class BoundedMultiPart(MultiPartParser):
    """A form with a small file; Django's own limit does not count the bytes of files."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        refuse_large(parser_context)
        return super().parse(stream, media_type=media_type, parser_context=parser_context)


class RawBytes(BaseParser):
    """The body as it is, whatever its sender calls it."""

    media_type = "*/*"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        refuse_large(parser_context)
        return stream.read()


def refuse_large(parser_context: dict[str, Any]) -> None:
    if int(parser_context["request"].META.get("CONTENT_LENGTH") or 0) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        raise BodyTooLarge
