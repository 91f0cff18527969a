"""opencode: a plugin of ours that asks at `session.idle` and sends the feedback as a prompt."""
