"""What judgements become: votes, settled grades, gold, exports."""
