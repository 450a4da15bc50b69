"""The archive: records of closed days as Parquet files, so that large logs leave the database.

A record is in one place: a row of its table, or a row of a file that `ArchiveFile` names; one transaction moves it (`moves`).
`layout` says what a file holds, `selections` gives rows and files as DuckDB's tables, `files` stores, names and rewrites them.
"""
