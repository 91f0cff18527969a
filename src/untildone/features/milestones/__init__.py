"""Milestones of a loop sent to the receivers that the user named."""
