"""Plans: TASKS.json read, checked, changed, and worked through task by task."""
