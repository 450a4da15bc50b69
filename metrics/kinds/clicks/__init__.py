"""What a site's click report says to a reader: which numbers they may see, in which words, as files, and as grades."""
