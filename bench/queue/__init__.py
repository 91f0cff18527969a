"""The queue: what a task costs beside its agent, and how that grows."""
