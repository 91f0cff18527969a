"""What `init` writes, and takes out again."""
