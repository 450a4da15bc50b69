"""What workers earn: `rates` are by the judgement and by the hour. `earnings` and `bonuses` are each worker's, `forecast` says
what a study will cost, and `payouts` makes the files to settle with.
"""
