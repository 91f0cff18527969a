"""Headless runs, plan runs, demo and drill."""
