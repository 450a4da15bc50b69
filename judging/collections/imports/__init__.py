"""Files into a collection: documents, topics, qrels, runs and result lists, each whole or not at all.

Every `check_…` reads and validates a file outside of any transaction and gives back what inserts it; every `import_…` does
both. What is wrong comes as BadFile with file, line and what was expected, up to 100 problems.
"""

from collections.abc import Callable

from judging.collections.imports.documents import check_documents, import_documents
from judging.collections.imports.images import check_images, import_images
from judging.collections.imports.outcome import ImportResult, Insert
from judging.collections.imports.qrels_files import check_qrels, import_qrels
from judging.collections.imports.result_lists import check_results, import_results
from judging.collections.imports.runs import check_run, import_run
from judging.collections.imports.topics import check_topics, import_topics

CHECKS: dict[str, Callable[..., Insert]] = {
    "documents": check_documents,
    "topics": check_topics,
    "qrels": check_qrels,
    "run": check_run,
    "results": check_results,
    "images": check_images,
}

__all__ = [
    "CHECKS", "ImportResult", "Insert",
    "check_documents", "check_images", "check_qrels", "check_results", "check_run", "check_topics",
    "import_documents", "import_images", "import_qrels", "import_results", "import_run", "import_topics",
]  # fmt: skip
