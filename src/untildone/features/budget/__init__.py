"""Money and minutes: what a loop used, and its bounds between tool calls."""
