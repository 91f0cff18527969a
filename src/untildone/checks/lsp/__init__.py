"""Diagnostics of language servers, which a daemon keeps running between questions."""
