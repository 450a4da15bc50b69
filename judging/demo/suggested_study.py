"""The words of the demo's studies of household tips: a name, the scale, instructions with examples, and a text to consent to."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "suggested"
NAME = "Does this page help?"
# Of each grade its name, what it means, and a page of that grade.
STEPS = [
    ("Not relevant", "It is about something else.", "Rice cookers"),
    ("Related", "The same subject, but it does not help with this.", "Rattling doors and windows"),
    ("Relevant", "It helps in part, or in a similar case.", "A door that sticks in wet weather"),
    ("Exactly this", "It tells what to do about the very problem.", "When a door drags on the floor"),
]
EXAMPLE = "“{}” for a door that scrapes over the floor"
# The same by language: the name, an example, and what each grade is called and means.
TRANSLATED = {
    "it": (
        "Questa pagina aiuta?",
        "“{}” per una porta che striscia sul pavimento",
        [
            ("Non pertinente", "Parla d’altro."),
            ("Attinente", "Lo stesso argomento, ma qui non aiuta."),
            ("Pertinente", "Aiuta in parte, o in un caso simile."),
            ("Proprio questo", "Dice che cosa fare esattamente in questo caso."),
        ],
    ),
    "de": (
        "Hilft diese Seite?",
        "“{}” für eine Tür, die über den Boden schleift",
        [
            ("Nicht relevant", "Es geht um etwas anderes."),
            ("Verwandt", "Dasselbe Thema, aber hierbei hilft sie nicht."),
            ("Relevant", "Sie hilft zum Teil, oder in einem ähnlichen Fall."),
            ("Genau das", "Sie sagt, was gegen eben dieses Problem zu tun ist."),
        ],
    ),
}


@dataclass(frozen=True)
class SuggestedStudy:
    """The words of a study that a researcher may start from: two Markdown texts; scale and translations as Study has them."""

    name: str
    scale: list[dict]
    instructions: str
    consent: str
    translations: dict[str, dict[str, str]]


def suggest_study() -> SuggestedStudy:
    scale = [
        {"grade": grade, "label": label, "help": meaning, "example": EXAMPLE.format(title)}
        for grade, (label, meaning, title) in enumerate(STEPS)
    ]
    translations = {language: translation(language) for language in TRANSLATED}
    return SuggestedStudy(NAME, scale, read("instructions.md"), read("consent.md"), translations)


def translation(language: str) -> dict[str, str]:
    """Each text of the study in that language."""
    name, example, steps = TRANSLATED[language]
    words = {NAME: name}
    for (label, meaning, title), theirs in zip(STEPS, steps, strict=True):
        words |= {label: theirs[0], meaning: theirs[1], EXAMPLE.format(title): example.format(title)}
    return words | {read(f"{text}.md"): read(f"{text}.{language}.md") for text in ("instructions", "consent")}


def read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")
