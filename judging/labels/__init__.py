"""Labels, which judgements become.

`results` counts and settles votes into qrels, `result_tables` shows them, `aggregation` by which method; `preferences` reads what
was preferred; `click_labels` keeps grades from clicks. `gold_choice` makes items with known grades, `training` tells workers what
was right. `machine_labels` holds machine judges to gold and people. `exports` makes files.
"""
