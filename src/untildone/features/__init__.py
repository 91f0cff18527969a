"""Optional parts of a loop, one folder each."""
