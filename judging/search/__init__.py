"""The public search page: `rankers` says by what can be ranked, `term_weights` weighs, `indexes` keeps indexes as files,
`ranking` finds, `treatment` gives visitors what their experiment says, `visits` knows them by a random number or not at
all, `self_log` logs.
"""
