"""The report of a side-by-side study: which system workers prefer, how sure that is, why, and how far to trust the workers.

By the machinery of `metrics.quality`: `kinds` there names the steps, which are a module each here (`pairs`, `ladder`, `trust`,
`behaviour`). `reading` brings what they found back, `wording` says it in sentences, `against` compares it with a measure,
`downloading` makes files of it. The statistics are those of `ireval.preferences`.
"""
