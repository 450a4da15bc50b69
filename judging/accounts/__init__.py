"""People's accounts and what they are given. `invitations` bring people in, and `links` to an account are passed on by `mail` or
by an admin. `roles` says what an account is for, `memberships` who may what with a single thing. `passwords` counts wrong
passwords and codes, `second_steps` tells who has one, `tokens` makes and deletes tokens of the API. `adapters` tells
django-allauth how we do things, `link_tokens` makes links secret. `closure` ends what ends with a password or an account,
`ownership` says what somebody has to hand over first, `sign_ins` forgets those that have expired.
"""
