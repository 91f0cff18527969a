"""The lean entry of the installed command."""
