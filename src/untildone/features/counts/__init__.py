"""Counts of errors, warnings, security findings and failing tests as criteria of a loop."""
