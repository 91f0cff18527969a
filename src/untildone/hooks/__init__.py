"""What the installed command runs: lean entry, tool-call guard, settings guard."""
