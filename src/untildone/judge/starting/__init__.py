"""From what was asked for to a loop that has begun, and to the one that follows it."""
