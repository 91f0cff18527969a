"""A plan run unattended: each task in a worktree of its own, merged when it is verified."""
