"""The cost and the minutes of a loop, and its pause when a bound is used up."""
