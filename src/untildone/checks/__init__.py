"""Detection, running and reading of checks."""
