"""Tasks of a plan as loops, verified and trusted."""
