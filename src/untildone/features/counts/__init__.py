"""Counts of findings and failing tests as criteria."""
