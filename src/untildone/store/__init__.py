"""What survives: loop files, journal, lock, sessions."""
