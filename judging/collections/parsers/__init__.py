"""Documents, topics, result lists and relevance files in the formats they come in, as streams of plain records.

Pure functions of a file: no model, no request. Each format is a module; `formats` names them all.
"""

from judging.collections.parsers.format_guess import guess_format
from judging.collections.parsers.formats import (
    AUTO,
    FORMATS,
    Format,
    choices,
    read_documents,
    read_results,
    read_smart_qrels,
    read_topics,
)
from judging.collections.parsers.parsed_records import ParsedDocument, ParsedJudgement, ParsedResult, ParsedSubtopic, ParsedTopic
from judging.collections.parsers.smart_qrels import SCALES

__all__ = [
    "AUTO", "FORMATS", "SCALES", "Format", "ParsedDocument", "ParsedJudgement", "ParsedResult", "ParsedSubtopic", "ParsedTopic",
    "choices", "guess_format", "read_documents", "read_results", "read_smart_qrels", "read_topics",
]  # fmt: skip
