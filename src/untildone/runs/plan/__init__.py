"""Runs of a plan without a user: each task in its own worktree, merged when verified."""
