"""What a request may carry. Django bounds what goes through `request.body`; these bound what is read past it."""

from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser, JSONParser, MultiPartParser


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = "The body is too large for one request. Send large files as an upload, in chunks."


class BoundedJSON(JSONParser):
    """JSON of bounded depth."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        try:
            return super().parse(stream, media_type=media_type, parser_context=parser_context)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None


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
        raise TooLarge
