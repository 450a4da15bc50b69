"""What a request to the API may carry."""

from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser, JSONParser, MultiPartParser


class TooLarge(APIException):
    status_code = 413
    default_code = "too_large"


class BoundedJSON(JSONParser):
    """JSON of bounded size and depth. Django's own limit holds only for what goes through `request.body`."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        refuse_large(int(parser_context["request"].META.get("CONTENT_LENGTH") or 0))
        try:
            return super().parse(stream, media_type=media_type, parser_context=parser_context)
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None


def refuse_large(length: int) -> None:
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if length > limit:
        raise TooLarge(
            f"The body has {length:,} bytes; at most {limit:,} are accepted. Send large files as an upload, in chunks."
        )


class BoundedMultiPart(MultiPartParser):
    """A form with a small file. Django's own limit does not count the bytes of files."""

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        refuse_large(int(parser_context["request"].META.get("CONTENT_LENGTH") or 0))
        return super().parse(stream, media_type=media_type, parser_context=parser_context)


class RawBytes(BaseParser):
    """The body as it is, whatever its sender calls it."""

    media_type = "*/*"

    def parse(self, stream: IO[Any], media_type: str | None = None, parser_context: Any = None) -> Any:
        refuse_large(int(parser_context["request"].META.get("CONTENT_LENGTH") or 0))
        return stream.read()
