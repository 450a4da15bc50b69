"""What topics mean several things: the intents behind them, and the best order for all of these at once."""
