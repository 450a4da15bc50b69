"""Experiments on a site's users: `making` drafts them, `running` starts and stops them, `assigning` and `interleaving` serve."""
