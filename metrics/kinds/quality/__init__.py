"""How far the labels of a study can be trusted: between workers, item by item, worker by worker.

`asking` asks for a report and tells whether the newest is still of today; `computing` reads the evidence once and has Celery
compute the steps; `reading` brings what is stored back onto pages.

`kinds` says what differs for studies that compare lists; their steps are in `metrics.kinds.preferences`.

To add a step: write a function that takes `Evidence` and returns a `Part`, enter it in `kinds` under its name, and read it with
`reading.part(report, name)`. Reports without it then count as out of date and are computed again when somebody asks. What it
needs of the database beyond votes and signals belongs into `evidence.py`: the fingerprint must change with it.
"""
