"""The demo's suggested study: a name, the scale, instructions with examples, and a text to consent to."""

from dataclasses import dataclass
from pathlib import Path

EXAMPLES = [
    f"“{weakness}” for uploads whose names lead out of their folder"
    for weakness in (
        "Weak Password Requirements",
        "Unrestricted Upload of File with Dangerous Type",
        "External Control of File Name or Path",
        "Path Traversal: '../filedir'",
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
        name="Which weakness is behind it?",
        scale=[
            {"grade": 0, "label": "Not relevant", "help": "It is about something else.", "example": EXAMPLES[0]},
            {
                "grade": 1,
                "label": "Related",
                "help": "The same area, but it does not explain the problem.",
                "example": EXAMPLES[1],
            },
            {
                "grade": 2,
                "label": "Relevant",
                "help": "It explains the problem in part, or in more general terms.",
                "example": EXAMPLES[2],
            },
            {
                "grade": 3,
                "label": "Exactly this",
                "help": "It describes the very mistake that the query is about.",
                "example": EXAMPLES[3],
            },
        ],
        instructions=read("instructions.md"),
        consent=read("consent.md"),
    )


def read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
