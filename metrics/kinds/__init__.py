"""Kinds of reports, each in a room with the same faces.

`evidence` reads what is judged or logged, `parts` says how it is computed, `words` puts results into sentences, and `files` are
downloads. `registry` names all kinds to the pipeline, and `overview` puts any report into one sentence.
"""
