"""Texts of documents: highlighted words, extracts, passages and snippets, instructions in Markdown."""
