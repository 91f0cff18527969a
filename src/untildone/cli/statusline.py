"""`untildone statusline`: prints our line, for users with their own status line."""

import os

import click

from untildone.hooks.entry import main
from untildone.store.home import find_state_home


@click.command("statusline", hidden=True)
def command() -> int:
    """Print the loop's line for the agent's status line; its payload comes on stdin."""
    return main(["StatusLine", "claude", "settings", str(find_state_home(os.environ))])
