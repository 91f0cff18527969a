"""Command lines read: shell lines, launchers, package scripts, make targets."""
