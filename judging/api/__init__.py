"""The API of judging, by subject. Each viewset opens with an access helper and calls a verb."""
