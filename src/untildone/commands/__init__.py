"""The one reader of command lines: shell lines, launchers, package scripts, make targets, CI."""
