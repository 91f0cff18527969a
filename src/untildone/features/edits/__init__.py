"""Diagnostics of the files that the agent edits, with or without a loop."""
