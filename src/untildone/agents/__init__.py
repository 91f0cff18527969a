"""One module per agent: translation only."""
