"""People's accounts: `passwords` counts wrong passwords, and `tokens` makes and deletes tokens of the API. `closure` ends what
ends with a password or an account. `ownership` says what somebody has to hand over first.
"""
