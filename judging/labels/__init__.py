"""Labels, which judgements become.

`results` counts votes and labels items, by the methods of `aggregation`; `settlement` makes qrels of them, `result_tables` shows
them, `worker_order` sorts workers. `preferences` reads what was preferred; `click_labels` keeps grades from clicks. `gold_choice`
makes items with known grades, `training` tells workers what was right. `machine_labels` holds machine judges to gold and people.
`study_progress` says how far a study is; `exports` and `judgement_table` make files.
"""
