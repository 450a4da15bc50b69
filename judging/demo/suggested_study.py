"""The words of the demo's studies of household tips: a name, the scale, instructions with examples, and a text to consent to."""

from dataclasses import dataclass
from pathlib import Path

EXAMPLES = [
    f"“{title}” for a door that scrapes over the floor"
    for title in (
        "Rice cookers",
        "Rattling doors and windows",
        "A door that sticks in wet weather",
        "When a door drags on the floor",
    )
]


@dataclass(frozen=True)
class SuggestedStudy:
    """The words of a study that a researcher may start from: two Markdown texts, and the scale as `Study.scale` keeps it."""

    name: str
    scale: list[dict]
    instructions: str
    consent: str


def suggest_study() -> SuggestedStudy:
    return SuggestedStudy(
        name="Does this page help?",
        scale=[
            {"grade": 0, "label": "Not relevant", "help": "It is about something else.", "example": EXAMPLES[0]},
            {
                "grade": 1,
                "label": "Related",
                "help": "The same subject, but it does not help with this.",
                "example": EXAMPLES[1],
            },
            {"grade": 2, "label": "Relevant", "help": "It helps in part, or in a similar case.", "example": EXAMPLES[2]},
            {
                "grade": 3,
                "label": "Exactly this",
                "help": "It tells what to do about the very problem.",
                "example": EXAMPLES[3],
            },
        ],
        instructions=read("instructions.md"),
        consent=read("consent.md"),
    )


def read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
