"""The program of the installed hooks: lean entry, tool-call guard, settings guard."""
