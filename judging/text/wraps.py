"""Hard-wrapped texts: lines that end where a margin of old was, not where a paragraph ends."""

import re

LONGEST = 132  # characters of the longest line: beyond it nobody wrapped by hand, and lines are paragraphs
MARGIN = 40  # characters of the narrowest page
SHORTEST = 24  # of a line that goes on: shorter ones are of lists and tables
NEWLINE = re.compile(r"[^\S\n]*\n(?=\S)")
FIRST_WORD = re.compile(r"\S+")
MARK = re.compile(r"(?:[-*•–+>|#]|\(?\w{1,3}[.)])(?:\s|$)")  # of a list, a quotation, a heading


def flowing(text: str) -> str:
    """The text with a space for each line break that a margin made: it has as many characters, each in its place.

    A margin made the break behind a line of some length in two cases. A small letter goes on, or the next word would have stood
    beyond the longest line.

    >>> flowing("The owl sleeps through most of the day, and\\nhunts when it is dark.\\n\\nIt eats\\nvoles.")
    'The owl sleeps through most of the day, and hunts when it is dark.\\n\\nIt eats\\nvoles.'
    """
    if "\n" not in text:
        return text
    longest = max(map(len, text.split("\n")))
    margin = longest if MARGIN <= longest <= LONGEST else None

    def joined(newline: re.Match[str]) -> str:
        line = newline.start() - (text.rfind("\n", 0, newline.start()) + 1)
        flows = line >= SHORTEST and goes_on(text, newline.end(), line, margin)
        return newline[0].replace("\n", " ") if flows else newline[0]

    return NEWLINE.sub(joined, text)


def goes_on(text: str, at: int, line: int, margin: int | None) -> bool:
    """Whether the sentence of a line so long goes on with the word that begins `at` the next one."""
    if MARK.match(text, at):
        return False
    return text[at].islower() or (margin is not None and line + 1 + len(FIRST_WORD.match(text, at)[0]) > margin)  # type: ignore[index]
