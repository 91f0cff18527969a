"""Subprocesses: started, watched, bounded and ended in this package alone."""
