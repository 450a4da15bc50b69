"""Files, frames and dictionaries into columns that are checked: runs, qrels, tables. What is wrong names its place and remedy."""
