"""Experiments on a site's users: `drafts` makes them, `lifecycle` starts and stops them, `plan` says how long they take.
`arms` says who is in which arm by a hash (nothing is stored), `interleaving` merges the arms' lists, `exposure` counts who
was in which.
"""
