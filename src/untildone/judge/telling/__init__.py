"""Milestones told to whom the person named, by a process nobody waits for."""
