"""Rules that watch over workers. `signals` says what their work looks like. `enforcement` makes rules, says whom they catch and
acts; `reach` says whether they ever can. `worker_profile` shows one worker beside the study.
"""
