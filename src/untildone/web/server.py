"""The server of the live page: on the loopback interface only, until Ctrl-C."""

import errno
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.features.milestones.page_link import SERVE_FILE
from untildone.store.durable_files import write_atomically
from untildone.store.encoding import encode
from untildone.web.access import LOOPBACK, Access
from untildone.web.queue_source import QueueSource
from untildone.web.routes import Routes

# Streams end by themselves; a verb that is being carried out may take so many seconds more.
_GRACE_SECONDS = 5


def open_listener(port: int) -> socket.socket:
    """Return a socket that listens on this port of the loopback interface; 0 takes a free one."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform != "win32":
        # On Windows it would let another program take our port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise _explain(error, port) from error
    return listener


def _explain(error: OSError, port: int) -> UserError:
    reason = {
        errno.EADDRINUSE: "is used by another program, perhaps by another `untildone serve`",
        errno.EACCES: "may only be used by an administrator",
    }.get(error.errno or 0, f"cannot be used: {error.strerror}")
    return UserError(f"port {port} {reason}", hint="`untildone serve --port 0` takes a free one")


@contextmanager
def announce(home: Path, origin: str) -> Iterator[None]:
    """Record meanwhile where the page is, without its secrets: notifications link to it."""
    file = home / SERVE_FILE
    write_atomically(file, encode({"url": origin, "pid": os.getpid()}), keep_previous=False)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)


def make_server(
    context: Context,
    access: Access,
    *,
    tell: Callable[[str], None],
    queue: QueueSource | None = None,
) -> uvicorn.Server:
    """Return the server of the live page; `tell` prints a line in the user's terminal."""
    server: uvicorn.Server
    routes = Routes(context, access, tell=tell, is_ending=lambda: server.should_exit, queue=queue)
    config = uvicorn.Config(
        routes.build(),
        log_config=None,
        # An access log would have the token of the link.
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    return server
