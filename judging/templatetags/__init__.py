"""Filters and tags for templates, by subject."""
