"""The one pipeline from an event to its answer, where the rooms meet."""
