"""Click logs: what search sites send, from the request to the tables.

A record's way: `request_bodies` reads the request, `records` each record leniently, and what cannot be understood goes to
`quarantine` alone. `pseudonyms` puts 64-bit hashes under an epoch's secret in the place of clients, users and sessions.
`intake` stores a batch through `inserts`: `seen` takes each identity (event_id, else a keyed hash of the content) once, so
that replays, retries and copies count once. The answer, one status a record, leaves after the commit; Redis takes no part.

Tables are partitioned by the month of receipt, since a record's own time is a browser's claim; both times are kept
(`partitions`). Records of past days of large sites are in files instead (`archive`). `retention` and `erasure` delete records,
and `resubmission` sends quarantined ones in again. `bots` says who is a program, `privacy` what may be shown of few users,
`keys` what a site proves itself with.
"""
