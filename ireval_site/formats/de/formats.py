"""German pages: dates as usual there, numbers as in English. Sentences with measures spell them so in every language."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
