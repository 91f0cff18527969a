"""Answers written down instead of worked out."""
