from django import template

register = template.Library()
LEAST_WORDS, MOST_WORDS = 3, 12


@register.filter
def in_short(caution: str) -> tuple[str, str]:
    """What the caution says first, and the rest of it, which says why that matters; no rest where it says one thing.

    >>> in_short("Only 3 workers voted: others may see it differently.")
    ('Only 3 workers voted', 'others may see it differently.')
    >>> in_short("“crowd”: a machine gave all grades."), in_short("Nobody clicked.")
    (('“crowd”: a machine gave all grades.', ''), ('Nobody clicked.', ''))
    >>> in_short("40 of 120 votes are simulated, made by a program which nobody ever saw.")[0]
    '40 of 120 votes are simulated'
    """
    places = [place for place in (caution.find(": "), caution.find(". ")) if place > 0]
    first = caution[: min(places, default=len(caution))]
    if len(first.split()) > MOST_WORDS:
        first = first.partition(", ")[0]
    if first == caution:
        return caution, ""
    if len(first.split()) < LEAST_WORDS:
        return caution, ""
    return first, caution[len(first) + 2 :]
