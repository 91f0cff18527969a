"""Task lists of other tools, one module each."""
