"""Loops that follow one another: templates of `--then`, or the tasks of a plan."""
