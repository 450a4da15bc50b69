"""Studies before they run: what will be judged, whether it can find a difference, and the launch."""
