"""The configuration that a repository proposes, and the user's own settings."""
