"""Small files for the parsers, and all that they give of them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ireval.io.files import BadFile, ProblemList
from judging.collections.parsers import read_documents, read_results, read_smart_qrels, read_topics

READERS: dict[str, Callable[..., Any]] = {
    "documents": read_documents,
    "topics": read_topics,
    "qrels": read_smart_qrels,
    "results": partial(read_results, system="Site A"),
}


class Files:
    """Writes a file into a folder of its own and reads it as documents, topics, judgements or results."""

    def __init__(self, folder: Path):
        self.folder = folder

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def read(self, kind: str, name: str, content: str | bytes, **options) -> list:
        """What a file gives in which nothing is wrong."""
        problems = ProblemList(name)
        records = list(READERS[kind](self.write(name, content), problems=problems, **options))
        problems.raise_if_any()
        return records

    def problems(self, kind: str, name: str, content: str | bytes, **options) -> list[str]:
        """All that is wrong with a file, whether reading came to its end or not."""
        problems = ProblemList(name)
        try:
            list(READERS[kind](self.write(name, content), problems=problems, **options))
            problems.raise_if_any()
        except BadFile as bad:
            return [str(problem) for problem in bad.problems]
        return []

    def warnings(self, kind: str, name: str, content: str | bytes, **options) -> list[str]:
        warnings = ProblemList(name)
        self.read(kind, name, content, warnings=warnings, **options)
        return [str(warning) for warning in warnings.problems]
