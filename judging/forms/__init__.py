"""Forms of judging, by subject: what people may enter, and what is wrong with it."""
