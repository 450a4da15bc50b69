"""Kinds of reports, each in a package with the same modules.

A number goes one way: `evidence` reads what is judged or logged, `parts` computes of it, `results` are what a reader may see.
`words` put these into sentences, `figures` draw them, and `files` are downloads. `changes` tell a report from an earlier one, and
`freshness` tells what came since. Modules of a kind's own stand on the same steps; `make check` keeps their order.

`experiments` is what A/B and interleaving have in common, `studies` what quality and preferences have.
`report_kinds` lists all kinds, `registry` hands them to the pipeline, and `overview` puts any report into one sentence.
"""
