"""Content types whose parameters Django could not read, which it does before any middleware could answer."""

from collections.abc import Callable, Iterable

from ireval_site.turns import Application, Environment


def with_readable_types(application: Application) -> Application:
    """Leave out the parameters of a content type where one says which code it is written in, as in `name*=utf-8''x`.

    Nobody needs that for a boundary or a charset, and a code that does not exist would be a server error.
    """

    def answer(environ: Environment, start_response: Callable) -> Iterable[bytes]:
        kind, _, parameters = environ.get("CONTENT_TYPE", "").partition(";")
        if "*" in parameters:
            environ["CONTENT_TYPE"] = kind
        return application(environ, start_response)

    return answer
