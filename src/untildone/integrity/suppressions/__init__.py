"""Comments and code that silence a checker."""
