"""Numbers as sentences spell them, the same in every kind of report."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from judging.text.counts import count

NEGATIVE = re.compile(r"-(\d[\d.,]*|inf)")


def listed(names: Sequence[str], most: int | None = None) -> str:
    """Join names to a phrase; of more than the most, only two and how many others there are.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=3)
    ('a', 'a and b', 'a, b and c', 'a, b and 2 others')
    """
    if most and len(names) > most:
        first, second, *others = names
        return _("%(first)s, %(second)s and %(count)s others") % {"first": first, "second": second, "count": len(others)}
    if len(names) < 2:
        return "".join(names)
    return _("%(names)s and %(last)s") % {"names": ", ".join(names[:-1]), "last": names[-1]}


def difference(before: int, after: int, noun: str) -> str:
    """How many more or fewer there are than before; empty for as many.

    >>> difference(900, 2104, "judgement"), difference(96, 95, "vote"), difference(9, 9, "vote")
    ('1,204 judgements more (was 900)', '1 vote fewer (was 96)', '')
    """
    if before == after:
        return ""
    change = _("%(count)s more (was %(before)s)") if after > before else _("%(count)s fewer (was %(before)s)")
    return change % {"count": count(abs(after - before), noun), "before": f"{before:,}"}


def differ(before: Mapping[str, Any], after: Mapping[str, Any], *names: str) -> bool:
    """Whether two sets of facts differ in one of these; older ones may lack some."""
    return any(before.get(name) != after.get(name) for name in names)


def engine_change(before: str, after: str) -> str:
    """
    >>> engine_change("7", "8"), engine_change("8", "8")
    ('version 8 of the engine (was 7)', '')
    """
    if before == after:
        return ""
    return _("version %(after)s of the engine (was %(before)s)") % {"after": after, "before": before}


def percent(share: float | None, digits: int = 0) -> str:
    """
    >>> percent(0.3149), percent(0.975, 1), percent(0.95, 1), percent(None), percent(math.nan)
    ('31 %', '97.5 %', '95 %', '–', '–')
    """
    return "–" if share is None or math.isnan(share) else with_minus(f"{round(100 * share, digits):.10g} %")


def percents(shares: Sequence[float], digits: int = 0, nulls: Sequence[float] = (0.5,)) -> list[str]:
    """Shares, or the ends of an interval, with as many decimals as tell them from those that would say that nothing is there.

    >>> percents([0.503, 0.581]), percents([0.5, 0.581]), percents([0.0003, 0.0011], nulls=(0, 1))
    (['50.3 %', '58.1 %'], ['50 %', '58 %'], ['0.03 %', '0.11 %'])
    """
    more = max(decimals([100 * share for share in shares], digits, 100 * null) for null in nulls)
    return [percent(share, more) for share in shares]


def decimals(numbers: Sequence[float], digits: int, null: float = 0.0) -> int:
    """So many digits, or as many more as it takes that none of the numbers is printed as the null value unless it is that.

    >>> decimals([50.3, 58.1], 0, 50), decimals([50.0, 58.1], 0, 50), decimals([-0.004, 0.1], 2)
    (1, 0, 3)
    """
    others = [number for number in numbers if not math.isclose(number, null, rel_tol=1e-9, abs_tol=1e-9)]
    return next((more for more in range(digits, 10) if all(round(number, more) != null for number in others)), digits)


def with_minus(numbers: str) -> str:
    """Numbers as text with true minus signs, which are as wide as the plus; −0 is 0.

    >>> with_minus("-0.05"), with_minus("[-0.000, 0.1]"), with_minus("-1,200 %")
    ('−0.05', '[0.000, 0.1]', '−1,200 %')
    """
    return NEGATIVE.sub(lambda match: f"−{match[1]}" if match[1].strip("0.,") else match[1], numbers)


def decimal(number: float | None, digits: int = 3) -> str:
    """
    >>> decimal(-0.3333), decimal(1.0), decimal(0.125, 2), decimal(None), decimal(math.nan)
    ('−0.333', '1.000', '0.12', '–', '–')
    """
    return "–" if number is None or math.isnan(number) else with_minus(f"{number:.{digits}f}")


def short_decimal(number: float | None, digits: int = 1) -> str:
    """The number with decimals unless it is whole.

    >>> short_decimal(-2.0), short_decimal(2.34), short_decimal(2.5, 2), short_decimal(None)
    ('−2', '2.3', '2.50', '–')
    """
    return decimal(number, digits if number is None or number % 1 else 0)


def in_brackets(low: float | None, high: float | None, digits: int = 3, nulls: Sequence[float] = (0.0,)) -> str:
    """The ends of an interval, with as many decimals as tell them from the null values; empty where there is no interval.

    >>> in_brackets(-0.5, 0.75), in_brackets(0.5003, 0.581, nulls=(0, 0.5)), in_brackets(None, None), in_brackets(math.nan, 1.0)
    ('[−0.500, 0.750]', '[0.5003, 0.5810]', '', '')
    """
    if low is None or high is None or math.isnan(low):
        return ""
    more = max((decimals([low, high], digits, null) for null in nulls), default=digits)
    return f"[{decimal(low, more)}, {decimal(high, more)}]"


def signed(number: float | None, digits: int = 4) -> str:
    """
    >>> signed(0.0312), signed(-0.5), signed(0.0), signed(-0.521, 2), signed(0.000012), signed(None)
    ('+0.0312', '−0.5000', '0.0000', '−0.52', '+0.00001', '–')
    """
    if number is None or math.isnan(number):
        return "–"
    text = f"{number:+.{decimals([number], digits)}f}"
    return with_minus(text) if float(text) else text[1:]


def p_value(p: float | None) -> str:
    """
    >>> p_value(0.01234), p_value(0.00001), p_value(None), p_value(math.nan)
    ('0.0123', '< 0.0001', '–', '–')
    """
    if p is None or math.isnan(p):
        return "–"
    return f"{p:.4f}" if p >= 0.0001 else "< 0.0001"


def as_p(p: float | None) -> str:
    """A p value as it stands behind the letter.

    >>> as_p(0.0312), as_p(0.00002)
    ('= 0.0312', '< 0.0001')
    """
    text = p_value(p)
    return text if text.startswith("<") else f"= {text}"


def as_sentence(text: str) -> str:
    """
    >>> as_sentence("there is a single topic"), as_sentence("")
    ('There is a single topic.', '')
    """
    return f"{capitalised(text)}." if text else ""


def capitalised(text: str) -> str:
    """
    >>> capitalised("mean of AP")
    'Mean of AP'
    """
    return f"{text[:1].upper()}{text[1:]}"
