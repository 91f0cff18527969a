"""`untildone serve`: the live page of all loops, for the user's browser."""

import webbrowser

import click

from untildone.cli.authority import require_user_of_machine
from untildone.cli.loops import open_context
from untildone.cli.queue.queue_options import database_option
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.extras import describe_extra
from untildone.runs.queue.address import find_url, get_file, is_shared, require_extra

_PORT = 8420
_LIBRARIES = ("starlette", "uvicorn")


@click.command("serve")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    help="The port on this machine; 0 takes a free one.",
)
@click.option("--open", "opens_browser", is_flag=True, help="Open the page in your browser.")
@click.option(
    "--allow-verbs",
    is_flag=True,
    help="Let the page pause, continue, cancel, approve and answer; without it, it only shows.",
)
@database_option
def serve_command(*, port: int, opens_browser: bool, allow_verbs: bool, database: str) -> None:
    """Show all loops and plan runs of this machine, and the queue, on a live page, until Ctrl-C.

    The page can be reached from this machine only, and only with the link that is printed.

    \b
    untildone serve --open
    untildone serve --allow-verbs
    untildone serve --port 0
    """
    context = open_context()
    if database:
        _require_queue(context, database)
    if allow_verbs:
        require_user_of_machine(context, "serve --allow-verbs")
    try:
        # Imported here because they need libraries that are optional.
        from untildone.web.access import Access
        from untildone.web.queue_source import QueueSource
        from untildone.web.server import announce, make_server, open_listener
    except ModuleNotFoundError as error:
        raise _explain_missing(error) from error

    with open_listener(port) as listener:
        access = Access(listener.getsockname()[1], allow_verbs=allow_verbs)
        click.echo(access.link)
        scope = "it may act for you" if allow_verbs else "read-only; `--allow-verbs` lets it act"
        _tell(f"the live page is on ({scope}); keep the link to yourself, Ctrl-C ends it")
        if opens_browser and not webbrowser.open(access.make_ticket_link()):
            _tell("no browser could be opened; open the link yourself")
        try:
            with announce(context.home, access.origin):
                queue = QueueSource(context, database)
                make_server(context, access, tell=_tell, queue=queue).run(sockets=[listener])
        except KeyboardInterrupt:
            _tell("the live page is off")


def _require_queue(context: Context, database: str) -> None:
    """Refuse a queue that is named and is not there: the page never creates one."""
    require_extra()
    url = find_url(database, home=context.home, environ={})
    if not is_shared(url) and not get_file(url).exists():
        raise UserError(
            f"there is no queue in `{get_file(url)}`",
            hint='`untildone queue add "TASK"` begins one',
        )


def _tell(line: str) -> None:
    click.echo(line, err=True)


def _explain_missing(error: ModuleNotFoundError) -> Exception:
    """Return what tells the user to install the extra; any other missing module is our bug."""
    library = (error.name or "").partition(".")[0]
    if library not in _LIBRARIES:
        return error
    return UserError(
        f"`{library}` is not installed: the live page needs the extra `dashboard`",
        hint=describe_extra("dashboard"),
    )
