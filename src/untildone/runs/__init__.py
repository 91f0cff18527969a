"""Runs without a user at the terminal: headless runs, plan runs, demo and drill."""
