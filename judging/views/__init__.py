"""Pages of judging, by subject. Each opens with an access helper and calls a verb."""
