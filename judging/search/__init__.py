"""The public search page, and runs of our own. `rankers` lists the ways to rank, `term_weights` weighs terms, `indexes` keeps
indexes as files, and `ranking` ranks. `own_runs` ranks a collection's documents for its topics. `treatment` gives visitors what
their experiment says. `visits` knows them by a random number or not at all, and `self_log` logs.
"""
