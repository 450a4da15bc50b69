from typing import Any, NamedTuple

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judging.work.pair_answers import HOW_MUCH

register = template.Library()
HEIGHT = 22


class Look(NamedTuple):
    """How a part of a bar is drawn: told apart without colours by its height and its stripes, and named under the bar."""

    tone: str
    thickness: int
    stripes: str = ""

    @property
    def drawn(self) -> SafeString:
        """The attributes of a line that looks so."""
        stripes = format_html(' stroke-dasharray="{}"', self.stripes) if self.stripes else ""
        return format_html('stroke="{}" stroke-width="{}"{}', self.tone, self.thickness, stripes)


# Everybody can tell blue from orange. The second is striped, ties are thin.
LOOKS = {
    "first": Look("#0072B2", HEIGHT),
    "tie": Look("#737A85", HEIGHT // 3),
    "both_bad": Look("#5B6068", HEIGHT // 3, "2 2"),
    "second": Look("#D55E00", HEIGHT, "5 2"),
}


@register.inclusion_tag("metrics/_preferences_bar.html")
def outcome_bar(row: dict[str, Any], first: str, second: str, width: str = "100%") -> dict[str, Any]:
    """A bar of the answers on a pair, or on one topic of it."""
    return bar(outcomes(row, first, second)) | {"width": width}


@register.inclusion_tag("metrics/_preferences_key.html")
def outcome_key(row: dict[str, Any], first: str, second: str) -> dict[str, Any]:
    return bar(outcomes(row, first, second))


def outcomes(row: dict[str, Any], first: str, second: str) -> list[tuple[str, int, str]]:
    return [
        (_("%(system)s preferred") % {"system": first}, row["wins"], "first"),
        (_("about the same"), row["ties"] - row["both_bad"], "tie"),
        (_("both bad"), row["both_bad"], "both_bad"),
        (_("%(system)s preferred") % {"system": second}, row["losses"], "second"),
    ]


def bar(answers: list[tuple[str, int, str]]) -> dict[str, Any]:
    total = sum(count for _, count, _ in answers) or 1
    place, segments = 0.0, []
    for label, count, won in answers:
        width = 100 * count / total
        shown = {"label": label, "n": count, "share": count / total, "look": LOOKS[won]}
        segments.append({**shown, "start": f"{place:.2f}%", "end": f"{max(place, place + width - 0.4):.2f}%"})
        place += width
    words = ", ".join(f"{segment['label']} {segment['n']}" for segment in segments if segment["n"])
    return {"segments": segments, "words": words}


@register.filter
def answers(duel: dict[str, Any], most: int) -> list[dict[str, Any]]:
    """How often each answer was given, from the first system's strongest to the second's; `most` is the study's strength."""
    times = {(answer["won"], answer["strength"]): answer["n"] for answer in duel["strengths"]}
    steps = [("first", step) for step in range(most, 0, -1)] + [("tie", 0), ("both_bad", 0)]
    steps += [("second", step) for step in range(1, most + 1)]
    total = sum(times.values()) or 1
    counts = [(won, step, times.get((won, step), 0)) for won, step in steps]
    return [
        {
            "label": words(duel, won, step, most),
            "n": n,
            "share": n / total,
            "width": f"{100 * n / total:.1f}",
            "look": LOOKS[won],
        }
        for won, step, n in counts
        if n or won in ("first", "second")
    ]


def words(duel: dict[str, Any], won: str, step: int, most: int) -> str:
    if won not in ("first", "second"):
        return _("About the same") if won == "tie" else _("Both are bad")
    text = {
        "": _("%(system)s is better"),
        "slightly": _("%(system)s is slightly better"),
        "much": _("%(system)s is much better"),
    }
    return text[HOW_MUCH[most][step]] % {"system": duel[won]}


@register.filter
def from_half(share: float | None) -> float | None:
    """How far a share lies from one half, from −1 to 1.

    >>> from_half(0.75), from_half(None)
    (0.5, None)
    """
    return None if share is None else 2 * share - 1
