"""Loops and plans imported from other tools' files."""
