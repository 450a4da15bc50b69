"""Runs under qrels: measures topic by topic, differences between runs, and how alike measures and qrels order them."""
