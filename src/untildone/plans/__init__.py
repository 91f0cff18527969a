"""Plans: TASKS.json read, judged, changed and written; what of a task can be verified."""
