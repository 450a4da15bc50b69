"""Files into a collection: documents, topics, qrels, runs and result lists, each whole or not at all.

Every `check_…` reads and validates a file outside of any transaction and gives back what inserts it; every `import_…` does
both. What is wrong comes as BadFile with file, line and what was expected, up to 100 problems.
"""

from collections.abc import Callable

from .documents import check_documents, import_documents
from .imported import Imported, Insert
from .qrels import check_qrels, import_qrels
from .results import check_results, import_results
from .runs import check_run, import_run
from .topics import check_topics, import_topics

CHECKS: dict[str, Callable[..., Insert]] = {
    "documents": check_documents,
    "topics": check_topics,
    "qrels": check_qrels,
    "run": check_run,
    "results": check_results,
}

__all__ = [
    "CHECKS", "Imported", "Insert",
    "check_documents", "check_qrels", "check_results", "check_run", "check_topics",
    "import_documents", "import_qrels", "import_results", "import_run", "import_topics",
]  # fmt: skip
