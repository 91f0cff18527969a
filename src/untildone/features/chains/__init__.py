"""Loops that follow one another."""
