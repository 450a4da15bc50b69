"""Which of the interleaved systems gets the clicks."""
