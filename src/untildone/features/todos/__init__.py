"""TODO items of the agent and of the project as criteria of a loop."""
