"""Compares what the checks depend on outside of the project: programs, settings, packages."""
