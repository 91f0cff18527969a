"""Configuration, key by key: what is looser now."""
