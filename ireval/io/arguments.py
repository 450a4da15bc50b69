"""Arguments that make no sense, refused in words rather than answered with numbers that are none."""

import operator
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ireval.arrays import Floats
from ireval.io.cells import shown
from ireval.io.files import BadInput


def require_confidence(confidence: float) -> None:
    """
    >>> require_confidence(95)
    Traceback (most recent call last):
    ireval.io.files.BadInput: confidence is 95; expected a share such as 0.95
    """
    require_numbers(confidence=confidence)
    if not 0 < confidence < 1:
        raise BadInput(f"confidence is {confidence:g}; expected a share such as 0.95")


def require_count(name: str, number: object, refusal: type[BadInput] = BadInput) -> None:
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
        raise refusal(f"{name} is {number!r}; expected a whole number from 1")


def require_numbers(**named: object) -> None:
    """
    >>> require_numbers(difference="0.1")
    Traceback (most recent call last):
    ireval.io.files.BadInput: difference is '0.1', of type str; expected a number
    """
    for name, value in named.items():
        if isinstance(value, bool) or not isinstance(value, Real):
            raise BadInput(f"{name} is {shown(value)}; expected a number")


def require_type(
    name: str, value: object, wanted: type | tuple[type, ...], remedy: str, refusal: type[BadInput] = BadInput
) -> None:
    """Refuse a value of another type; `remedy` says what is expected, and what makes it.

    >>> require_type("rankings", 5, dict, "Rankings, which rankings_of makes of a run and qrels")
    Traceback (most recent call last):
    ireval.io.files.BadInput: rankings is 5, of type int; expected Rankings, which rankings_of makes of a run and qrels
    """
    if not isinstance(value, wanted):
        raise refusal(f"{name} is {shown(value)}; expected {remedy}")


def as_numbers(name: str, values: ArrayLike | Any, refusal: type[BadInput] = BadInput) -> Floats:
    """An array of numbers, of one dimension or more; `refusal` for anything else.

    >>> as_numbers("values", ["high", "low"])
    Traceback (most recent call last):
    ireval.io.files.BadInput: values is ['high', 'low'], of type list; expected numbers
    """
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise refusal(f"{name} is {shown(values)}; expected numbers") from error
    if not array.ndim:
        raise refusal(f"{name} is {shown(values)}; expected several numbers")
    return array
