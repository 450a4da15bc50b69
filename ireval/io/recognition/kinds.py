"""What a file is taken for."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ireval.translatable import Phrase

DOCUMENTS, TOPICS, QRELS, RUN, RESULTS, IMAGES, CLICKS, NOTHING = (
    "documents",
    "topics",
    "qrels",
    "run",
    "results",
    "images",
    "clicks",
    "",
)
SHOWN = 120
# Texts of more words are documents, where nothing else tells them from queries. Cranfield's queries have 17 on average.
MANY_WORDS = 40
A_SAMPLE = 200  # lines or records
MOST = 0.8  # of them must fit: a file with a few broken lines is still what it is, and its reader says which are broken


@dataclass(frozen=True)
class Recognition:
    """What a file was taken for; `kind` is empty where it is nothing that is read.

    `because` is a sentence for whoever chose the file. `sample` is its first record, by field. `format` and `options` are what
    its reader wants to be told; `compressed` is gz, xz, zst or empty.
    """

    kind: str
    format: str
    because: Phrase
    sample: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    compressed: str = ""


def nothing(because: Phrase, sample: Mapping[str, str] | None = None) -> Recognition:
    return Recognition(NOTHING, "", because, sample or {})


def printable(text: str) -> str:
    """The text on one line, without what cannot be shown or stored: JSON can escape NULs and halves of surrogate pairs.

    >>> printable("d\\0 x\\n y")
    'd� x y'
    """
    return "".join(character if character.isprintable() else "\ufffd" for character in " ".join(text.split()))


def shortened(sample: Mapping[str, str]) -> dict[str, str]:
    """Texts as long as a table's cell shows; without those that are empty."""
    tidy = {printable(name): printable(text) for name, text in sample.items()}
    return {name: text if len(text) <= SHOWN else text[:SHOWN] + "…" for name, text in tidy.items() if text}
