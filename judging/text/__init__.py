"""Texts that people read: `highlights` marks the query's words, and `languages` knows their other forms and in which language a
text is. `extracts` chooses what of a long document is read first, and `snippets` the lines of a result. `document_html` cleans
the HTML of documents, `markdown_html` makes that of Markdown. `wraps` joins hard-wrapped lines. `passages` reads what a worker
marked as evidence. `library_words` says what the library says, and `counts` how many there are, in the reader's language.
"""
