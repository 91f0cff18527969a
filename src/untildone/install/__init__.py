"""What `init` writes and `uninstall` removes."""
