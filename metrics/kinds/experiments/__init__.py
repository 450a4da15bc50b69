"""What A/B and interleaving reports share: figures over time, files, and how fresh the newest report is."""
