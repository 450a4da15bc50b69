"""Errors that say why a verb did nothing. The text of each is for whoever asked; the API and the pages know these, and say it
once."""


class Refusal(ValueError):
    """A verb refused and changed nothing; the text says why, and what to do. The API and the pages answer `status`."""

    status: int


class Impossible(Refusal):
    """What was asked is well formed, but not possible as things stand."""

    status = 409


class Unacceptable(Refusal):
    """What came cannot be taken as it is."""

    status = 400


class TooOften(Refusal):
    """Too much came at once, or was tried; `wait` is the number of seconds before the same may come again."""

    status = 429

    def __init__(self, message: str, wait: float):
        self.wait = wait
        super().__init__(message)
