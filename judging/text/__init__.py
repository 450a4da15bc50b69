"""Texts that people read: `highlights` marks the query's words, and `languages` knows their other forms and in which language a
text is. `extracts` chooses what of a long document is read first, and `snippets` the lines of a result. `markup` cleans the HTML
of documents. `passages` reads what a worker marked as evidence.
"""
