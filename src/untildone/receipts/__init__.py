"""Receipts that others can verify: as in-toto statements, signed, attached to git trees."""
