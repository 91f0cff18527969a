"""The texts, JSON and XML that users read."""
