"""Errors that say why a verb did nothing. The text of each is for whoever asked; the API and the pages know these, and say it
once."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError


class Refusal(ValueError):
    """A verb refused and changed nothing; the text says why, and what to do. The API and the pages answer `status`.

    In a form it stands at `field`, if it is about one.
    """

    status: int
    field: str | None = None


class Impossible(Refusal):
    """What was asked is well formed, but not possible as things stand."""

    status = 409


class Unacceptable(Refusal):
    """What came cannot be taken as it is."""

    status = 400


class BadFields(Unacceptable, ValidationError):
    """Fields of what came cannot be taken: `BadFields(threshold="It is a number.")`.

    Raised while a form or a serializer validates, it is the error of those fields there, too.
    """

    def __init__(self, **errors: str | Sequence[str]):
        ValidationError.__init__(self, errors)

    def __str__(self) -> str:
        return " ".join(self.messages)


class TooOften(Refusal):
    """Too much came at once, or was tried; `wait` is the number of seconds before the same may come again."""

    status = 429

    def __init__(self, message: str, wait: float):
        self.wait = wait
        super().__init__(message)
