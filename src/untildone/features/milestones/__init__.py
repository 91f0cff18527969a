"""Milestones of a loop sent to the receivers that the user named."""

# The receivers, in the folder of a loop that has some.
MILESTONES_FILE = "milestones.json"
