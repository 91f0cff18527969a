"""Templates: named loops with a task, checks and bounds, built in or from the configuration."""
