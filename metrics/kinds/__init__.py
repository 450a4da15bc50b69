"""Kinds of reports, each in a package with the same modules.

`evidence` reads what is judged or logged, `parts` computes it, `words` puts results into sentences, and `files` writes downloads.
A/B and interleaving reports have their files in `experiments`, with what else they share.
`registry` lists all kinds for the pipeline, and `overview` puts any report into one sentence.
"""
