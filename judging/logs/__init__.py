"""Click logs: what search sites send, from the request to the tables.

`bodies` reads requests, `records` single records, `pseudonyms` hides who it was, `receiving` is the verb, `storing` its SQL.
"""
