"""The interleaving report: which of the interleaved systems gets the clicks."""
