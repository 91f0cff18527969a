"""What protects the loop from being talked, edited or tested around."""
