"""Content types without parameters that make Django fail, which it reads before any middleware."""

import re
from collections.abc import Callable, Iterable

from ireval_site.laptop.turns import Application, Environment

BOUNDARY = re.compile(r'boundary=("[^"]*"|[^\s;"]+)', re.IGNORECASE)


def with_plain_types(application: Application) -> Application:
    """Have all bodies and addresses read as UTF-8; a charset that is no text encoding would be a server error."""

    def answer(environ: Environment, start_response: Callable) -> Iterable[bytes]:
        environ["CONTENT_TYPE"] = plain_type(environ.get("CONTENT_TYPE", ""))
        return application(environ, start_response)

    return answer


def plain_type(content_type: str) -> str:
    """The content type with no parameter but a form's boundary.

    >>> plain_type("application/json; charset=hex"), plain_type("multipart/form-data; charset=utf-7; boundary=x")
    ('application/json', 'multipart/form-data; boundary=x')
    """
    kind, _, parameters = content_type.partition(";")
    boundary = BOUNDARY.search(parameters)
    return f"{kind.strip()}; {boundary[0]}" if boundary else kind.strip()
