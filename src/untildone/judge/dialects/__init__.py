"""Loop files of other tools, at a start and at every stop."""
