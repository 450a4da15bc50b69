"""The public search page: `rankers` lists the ways to rank, `term_weights` weighs terms, `indexes` keeps indexes as files, and
`ranking` ranks. `treatment` gives visitors what their experiment says. `visits` knows them by a random number or not at all, and
`self_log` logs.
"""
