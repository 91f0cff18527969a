"""Loop files and task lists of other tools."""
