"""Problems that are equal in kind, said once: a file in another format has the same problem on every line."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ireval.io.files import Problem

# What differs between two problems of a kind: what stands in quotes, and words with a digit.
OF_ONE = re.compile(r"\"[^\"]*\"|'[^']*'|\S*\d\S*")
FEW = 3
SHOWN = 5


@dataclass(frozen=True)
class Alike:
    """Problems of one kind: the words of the first, the first few lines, and how many there are."""

    file: str
    message: str
    lines: tuple[int, ...]
    count: int

    def __str__(self) -> str:
        if self.count == 1:
            return str(Problem(self.file, self.lines[0], self.message))
        return f"{self.file}, lines {self.places}: {self.message} ({self.count} lines have this problem)"

    @property
    def places(self) -> str:
        return ", ".join(f"{line:,}" for line in self.lines) + (", …" if self.count > len(self.lines) else "")


def alike(problems: Iterable[Problem]) -> list[Alike]:
    """The problems in their order, those of a kind together where there are more than FEW.

    >>> [str(kind) for kind in alike(Problem("q", line, f"expected 4 columns, found {line}") for line in (1, 2, 3, 7))]
    ['q, lines 1, 2, 3, 7: expected 4 columns, found 1 (4 lines have this problem)']
    """
    kinds: dict[tuple[str, bool, str], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault((problem.file, problem.line == 0, OF_ONE.sub("", problem.message)), []).append(problem)
    groups = []
    for (file, whole, _), of_kind in kinds.items():
        if len(of_kind) > FEW and not whole:
            lines = tuple(problem.line for problem in of_kind[:SHOWN])
            groups.append(Alike(file, of_kind[0].message, lines, len(of_kind)))
        else:
            groups += [Alike(file, problem.message, (problem.line,), 1) for problem in of_kind]
    files = list(dict.fromkeys(group.file for group in groups))
    return sorted(groups, key=lambda group: (files.index(group.file), group.lines))
