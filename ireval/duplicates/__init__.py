"""Near-duplicates: documents of nearly the same words, found by their texts or read from a file of groups."""

from ireval.duplicates.document_files import read_documents
from ireval.duplicates.groups import as_groups, read_groups, write_groups
from ireval.duplicates.similarity_join import near_duplicates

__all__ = ["as_groups", "near_duplicates", "read_documents", "read_groups", "write_groups"]
