"""Numbers that visitors write into addresses and forms."""

LONGEST = 18  # digits that any database's big integers hold


def number_in(text: str) -> int | None:
    """The whole number that the text is, or None: also for what only looks like one, and what no database could look up.

    >>> number_in("41"), number_in("²"), number_in("-1"), number_in("9" * 19)
    (41, None, None, None)
    """
    return int(text) if text.isdecimal() and len(text) <= LONGEST else None


class Id:
    """A primary key in an address; a longer number than keys can have is no address of ours."""

    regex = rf"[0-9]{{1,{LONGEST}}}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)
