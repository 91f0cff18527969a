"""Check commands and the scripts they lead to, compared."""
