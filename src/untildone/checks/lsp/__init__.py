"""Language servers: what they say about a file now, kept warm between questions."""
