"""People's accounts: passwords, tokens, and what ends with them."""
