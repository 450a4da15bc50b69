"""Texts that people read: `highlights` marks the query's words, `languages` knows their other forms, `extracts` chooses what
of a long document is read first, `snippets` the lines of a result, and `passages` reads what a worker marked as evidence.
"""
