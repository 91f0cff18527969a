"""One module per tool whose output is understood."""
