"""Baseline and tree compared: what was weakened, and experiments that settle it."""
