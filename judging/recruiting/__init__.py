"""Recruiting: how workers arrive, and who they are.

`invites` makes links and lets in; `channels` sends a marketplace's people here and back, `signatures` checks what it
signed. `arrivals` recognises those who prove who they are: by a signature, their browser's cookie, or a link that lets in
once. Consent makes the worker, whose own signed cookie names them from then on (`identity`): no account, no session.
"""
