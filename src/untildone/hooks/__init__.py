"""What the installed hook command runs: lean entry, tool-call guard, settings guard."""
