"""Green proved against the start: what was kept of it, what was lost, what the person approved."""
