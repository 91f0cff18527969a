"""`untildone status`: active loops, whether their agents are held, and what is needed from you."""

import time
from contextlib import suppress
from pathlib import Path

import click

from untildone.cli import loops
from untildone.cli.options import json_option, print_json, project_option
from untildone.cli.status_view import StatusView, list_damaged
from untildone.cli.terminal_text import open_display

_SECONDS = 1.0


@click.command("status")
@click.option(
    "--all", "everywhere", is_flag=True, help="Show the loops of every project, also finished ones."
)
@click.option("--watch", is_flag=True, help="Refresh every second until Ctrl-C.")
@project_option
@json_option
def status_command(*, everywhere: bool, watch: bool, project: Path | None, as_json: bool) -> None:
    """Show the loops of this project; `--all` shows those of every project.

    More than two loops are a table. In an agent's shell it shows the loops of that session.

    \b
    untildone status
    untildone status --all --watch
    untildone status --json | jq '.loops[] | select(.held != true)'
    """
    view = StatusView(loops.open_context(), project, everywhere=everywhere)
    if watch:
        _watch(view, as_json=as_json)
    else:
        _print_once(view, as_json=as_json)


def _print_once(view: StatusView, *, as_json: bool) -> None:
    entries = view.load_entries()
    if as_json:
        print_json(view.build_report(entries))
        return
    for line in list_damaged(entries):
        click.echo(line, err=True)
    if lines := [*view.render(entries, open_display()), *view.list_notices(entries)]:
        click.echo("\n".join(lines))


def _watch(view: StatusView, *, as_json: bool) -> None:
    """Show the status again every second; on a terminal in place, elsewhere one after another."""
    # Taken once: loops that were forgotten are listed only the first time.
    notices = [] if as_json else view.list_notices(view.load_entries())

    def render() -> list[str]:
        entries = view.load_entries()
        return [*list_damaged(entries), *view.render(entries, open_display()), *notices]

    if not as_json and open_display().width is not None:
        # Imported here because a single look does not need it.
        from untildone.cli.live_screen import show_live

        # Ctrl-C is how a user ends it, not a failure.
        with suppress(KeyboardInterrupt):
            show_live(render, seconds=_SECONDS)
        return
    while True:
        if as_json:
            print_json(view.build_report(view.load_entries()))
        else:
            click.echo("\n".join(render()))
        time.sleep(_SECONDS)
