"""The spec-driven loop: how clear the spec is, and what the loop asks of person and agent."""
