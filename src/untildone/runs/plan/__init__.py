"""A plan run unattended: each task in its own worktree, merged when verified."""
