"""Everything a user reads: text, JSON, XML."""
