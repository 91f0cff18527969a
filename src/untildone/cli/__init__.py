"""The commands: arguments in, exit code out, one module for each command or family."""
