"""The report on runs under qrels: measures by topic, differences between runs, and rank correlations."""
