"""Pages of reports. They take numbers from a kind, and words and figures made of them."""
