"""Places where a checker is told to look away."""
