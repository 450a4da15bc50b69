"""What workers earn: `rates` by the judgement and the hour, `earnings` of each worker, `bonuses`, `forecast` of what a study
will cost, and `payouts`, the files to settle with.
"""
