"""Configuration files compared key by key."""
