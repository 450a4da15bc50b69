"""The API of reports, by kind."""
