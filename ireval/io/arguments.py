"""Arguments that make no sense, refused in words rather than answered with numbers that are none."""

import operator

from ireval.io.files import BadInput


def require_confidence(confidence: float) -> None:
    """
    >>> require_confidence(95)
    Traceback (most recent call last):
    ireval.io.files.BadInput: confidence is 95; expected a share such as 0.95
    """
    if not 0 < confidence < 1:
        raise BadInput(f"confidence is {confidence:g}; expected a share such as 0.95")


def require_count(name: str, number: object) -> None:
    """
    >>> require_count("depth", 0)
    Traceback (most recent call last):
    ireval.io.files.BadInput: depth is 0; expected a whole number from 1
    """
    try:
        is_count = operator.index(number) > 0  # type: ignore[arg-type]
    except TypeError:
        is_count = False
    if not is_count:
        raise BadInput(f"{name} is {number!r}; expected a whole number from 1")
