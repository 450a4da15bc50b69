"""Kinds of reports, each in a package with the same modules.

`evidence` reads what is judged or logged, `parts` computes it, `words` puts results into sentences, and `files` writes downloads.
A verdict has one file, its bundle. `experiments` has what the page of A/B and interleaving reports needs of either. These are
figures over time, which files there are, and how fresh the newest report is.
`registry` lists all kinds for the pipeline, and `overview` puts any report into one sentence.
"""
