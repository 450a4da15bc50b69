"""Filters and tags for templates of reports, by kind."""
