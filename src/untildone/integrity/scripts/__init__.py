"""Check commands and the scripts behind them, compared with the baseline."""
