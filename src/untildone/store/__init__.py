"""The files that outlive a process: loops, journals, locks, sessions."""
