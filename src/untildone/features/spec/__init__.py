"""Loops that start from a spec: clarity score, gates, steps, checkpoints."""
