import re

from django import template

register = template.Library()
LEAST_WORDS = 4
NAMES = re.compile(r"“[^”]*”|„[^“]*“")


@register.filter
def in_short(caution: str) -> tuple[str, str]:
    """What the caution says first, and the rest of it, which says why that matters; no rest where it says one thing.

    Before a colon something is said where a number is said: else it may be no more than what the caution is about.

    >>> in_short("Only 3 workers voted: others may see it differently.")
    ('Only 3 workers voted', 'others may see it differently.')
    >>> in_short("“2 of us. All: alike” is sparse. It has 9 documents.")
    ('“2 of us. All: alike” is sparse', 'It has 9 documents.')
    >>> in_short("“crowd 2”: a machine gave all grades."), in_short("Nobody clicked.")
    (('“crowd 2”: a machine gave all grades.', ''), ('Nobody clicked.', ''))
    """
    outside_names = NAMES.sub(lambda name: "_" * len(name[0]), caution)
    for end in re.finditer(r"[.:] ", outside_names):
        first = caution[: end.start()]
        says = end[0] == ". " or re.search(r"\d", outside_names[: end.start()])
        if says and len(first.split()) >= LEAST_WORDS:
            return first, caution[end.end() :]
    return caution, ""
