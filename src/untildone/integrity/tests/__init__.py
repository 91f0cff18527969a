"""Tests as they would run, and what they no longer assert."""
