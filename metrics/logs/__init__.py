"""Logs of sites as reports read them: `frames` reads records, `bots` leaves out programs, `erasure` forgets users.

`records` says where single ones are shown.
"""
