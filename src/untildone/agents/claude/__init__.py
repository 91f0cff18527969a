"""Claude Code: a Stop hook holds the agent by additional context or `decision: block`."""
