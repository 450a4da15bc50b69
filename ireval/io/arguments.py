"""Arguments that make no sense, refused in words rather than answered with numbers that are none."""

import operator
import os
from collections.abc import Collection, Container, Sequence
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


def require_wholes(**named: Any) -> None:
    """
    >>> require_wholes(wins=-1)
    Traceback (most recent call last):
    ireval.io.files.BadInput: wins is -1, of type int; expected a whole number from 0
    """
    for name, value in named.items():
        if isinstance(value, bool) or not isinstance(value, Real) or not (float(value) >= 0 and float(value) % 1 == 0):
            raise BadInput(f"{name} is {shown(value)}; expected a whole number from 0")


def is_name_in(name: object, names: Container[str]) -> bool:
    """Whether it is one of these names; what is no text is none, and may have no hash to look for.

    >>> is_name_in("holm", {"holm": 1}), is_name_in(["holm"], {"holm": 1})
    (True, False)
    """
    return isinstance(name, str) and name in names


def require_choice(name: str, value: object, choices: Collection[str]) -> None:
    """
    >>> require_choice("topics", "all", ("both", "qrels"))
    Traceback (most recent call last):
    ireval.io.files.BadInput: topics is 'all'; expected one of both, qrels
    """
    if not is_name_in(value, choices):
        raise BadInput(f"{name} is {value!r}; expected one of {', '.join(choices)}")


def require_file(name: str, file: object, method: str = "write") -> None:
    """Refuse what is neither a path nor a binary file that can be written, or with `method` "read" read.

    >>> require_file("target", 5)
    Traceback (most recent call last):
    ireval.io.files.BadInput: target is 5, of type int; expected a path, or a binary file
    """
    if not isinstance(file, str | os.PathLike) and not hasattr(file, method):
        raise BadInput(f"{name} is {shown(file)}; expected a path, or a binary file")


def require_generator(rng: object) -> None:
    require_type("rng", rng, np.random.Generator, "a generator, such as np.random.default_rng(1)")


def require_each(name: str, values: object, wanted: type | tuple[type, ...], remedy: str) -> None:
    """Refuse what is no list, and in a list the first value of another type."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise BadInput(f"{name} are {shown(values)}; expected a list of {remedy}")
    for number, value in enumerate(values, start=1):
        require_type(f"{name}, number {number:,}", value, wanted, remedy)


def as_numbers(name: str, values: ArrayLike | Any, refusal: type[BadInput] = BadInput, *, least: int = 1) -> Floats:
    """An array of numbers, of one dimension or more (`least`); `refusal` for anything else, text and None among it.

    >>> as_numbers("values", ["high", "low"])
    Traceback (most recent call last):
    ireval.io.files.BadInput: values is ['high', 'low'], of type list; expected numbers
    """
    array = np.empty(())
    try:
        raw = np.asarray(values)
        # Texts would be parsed, and None would become NaN.
        are_numbers = raw.dtype.kind in "biuf" or (raw.dtype == object and None not in raw.ravel().tolist())
        if are_numbers:
            array = raw.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        are_numbers = False
    if not are_numbers:
        raise refusal(f"{name} is {shown(values)}; expected numbers")
    if values is None or array.ndim < least:
        raise refusal(f"{name} is {shown(values)}; expected {'several numbers' if least else 'numbers'}")
    return array
