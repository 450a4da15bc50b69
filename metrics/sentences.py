"""Numbers as sentences spell them, the same in every kind of report."""


def count(number: int, noun: str) -> str:
    """
    >>> count(1, "topic"), count(1200, "topic")
    ('1 topic', '1,200 topics')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def as_p(p: float) -> str:
    """
    >>> as_p(0.0312), as_p(0.00002)
    ('= 0.0312', '< 0.0001')
    """
    return f"= {p:.4f}" if p >= 0.0001 else "< 0.0001"


def as_sentence(text: str) -> str:
    """
    >>> as_sentence("there is a single topic"), as_sentence("")
    ('There is a single topic.', '')
    """
    return f"{text[0].upper()}{text[1:]}." if text else ""
