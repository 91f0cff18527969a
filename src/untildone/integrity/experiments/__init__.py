"""Runs that prove something: the baseline's tests on the new code."""
