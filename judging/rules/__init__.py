"""Rules that watch over workers, and the signals that they look at."""
