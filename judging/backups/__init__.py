"""Backups of database and files: made by hand or every night, kept by a rule, checked and restored."""
