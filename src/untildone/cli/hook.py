"""`untildone hook EVENT`: runs the entry point of the installed hooks."""

import os

import click

from untildone.hooks.entry import main
from untildone.store.home import find_state_home


@click.command("hook", hidden=True)
@click.argument("event")
@click.argument("agent", default="claude")
@click.argument("source", default="plugin")
@click.argument("home", default="")
@click.option("--agent", "named", help="The agent whose event it is.")
def command(event: str, agent: str, source: str, home: str, *, named: str | None) -> int:
    """Answer one event: its payload on stdin, the answer on stdout, always exit 0."""
    return main([event, named or agent, source, home or str(find_state_home(os.environ))])
