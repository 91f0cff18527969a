"""Product code that asks whether it is under test."""
