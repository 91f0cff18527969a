"""Tests as they would run, and what of their claims is gone."""
