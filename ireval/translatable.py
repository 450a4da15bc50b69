"""Sentences that the application's pages show in their reader's language. The library itself speaks English."""

from collections.abc import Iterable
from functools import reduce
from typing import Any, Self


def gettext_noop(sentence: str) -> str:
    """The sentence as it is: whoever gathers what is to be translated looks for calls of this name."""
    return sentence


class Phrase(str):
    """An English text that knows its template and what fills the template's blanks, so that both can be said in another language.

    A value may be a phrase, too. Whoever gathers what is to be translated looks for calls of this name and of Counted.

    >>> Phrase("expected %(columns)s, found %(found)s", columns=Counted("%(n)s column", "%(n)s columns", 6), found=5)
    'expected 6 columns, found 5'
    """

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:
        phrase = super().__new__(cls, template % values)
        phrase.template, phrase.values = template, values
        return phrase

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What a copy is made of."""
        return (self.template,), self.values

    def as_json(self) -> dict[str, Any]:
        return {"template": self.template, "values": stored(self.values)}


class Counted(Phrase):
    """A number of something; `%(n)s` in both forms is the number."""

    many: str
    number: int

    def __new__(cls, singular: str, plural: str, number: int, /) -> Self:
        phrase = super().__new__(cls, singular if number == 1 else plural, n=f"{number:,}")
        phrase.template, phrase.many, phrase.number = singular, plural, number
        return phrase

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self.template, self.many, self.number), {}

    def as_json(self) -> dict[str, Any]:
        return {"template": self.template, "many": self.many, "number": self.number}


def joined(phrases: Iterable[Phrase], between: str = "; ") -> Phrase:
    """
    >>> joined([Phrase("has 7 columns"), Phrase("has no topic")])
    'has 7 columns; has no topic'
    """
    return reduce(lambda phrase, last: Phrase(f"%(phrase)s{between}%(last)s", phrase=phrase, last=last), phrases)


def listed(names: Iterable[str]) -> str:
    """
    >>> listed(["qid", "topic"])
    'qid and topic'
    """
    return reduce(lambda names, last: Phrase("%(names)s and %(last)s", names=names, last=last), names)


def stored(value: Any) -> Any:
    """The value for JSON, wherever in it phrases stand; `restored` gives it back.

    >>> restored(stored([Phrase("expected %(columns)s", columns=Counted("%(n)s column", "%(n)s columns", 1))]))[0].template
    'expected %(columns)s'
    """
    match value:
        case Phrase():
            return value.as_json()
        case dict():
            return {key: stored(item) for key, item in value.items()}
        case list() | tuple():
            return [stored(item) for item in value]
    return value


def restored(value: Any) -> Any:
    """What was stored, with its phrases."""
    match value:
        case {"template": str(template), "many": str(many), "number": int(number)}:
            return Counted(template, many, number)
        case {"template": str(template), "values": dict(values)}:
            return Phrase(template, **restored(values))
        case dict():
            return {key: restored(item) for key, item in value.items()}
        case list():
            return [restored(item) for item in value]
    return value
