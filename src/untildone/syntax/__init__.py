"""Source files parsed once, with one table per language."""
