"""What survives: loop files, journal, lock, index."""
