"""People's accounts: `passwords` counts wrong ones, `tokens` makes and deletes those of the API, `closure` ends what ends with
a password or an account, `ownership` says what somebody has to hand over first.
"""
