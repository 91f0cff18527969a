"""Money and minutes: what a loop used, and its bounds looked at while it runs."""
