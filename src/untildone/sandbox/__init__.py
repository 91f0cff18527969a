"""Clean copies of a project in which confirming runs happen."""
