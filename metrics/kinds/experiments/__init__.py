"""What A/B and interleaving reports share: the reader's choice, who sees what, the moments of looks, and words."""
