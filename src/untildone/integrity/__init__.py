"""Compares the tree with the baseline to see what was weakened; experiments settle doubts."""
