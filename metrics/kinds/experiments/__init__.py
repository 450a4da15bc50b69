"""What the report of an experiment says to a reader: which numbers they may see, in which words and figures, and as files."""
