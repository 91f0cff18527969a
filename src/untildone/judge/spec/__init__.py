"""Loops from a spec: how clear it is, its steps, its gates, what is kept and cleaned away."""
