"""What surrounds the checks: programs, settings, packages, modules."""
