"""The databases that are measured: SQLite files, and a Postgres of our own on loopback."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import sqlalchemy as sa

from untildone.runs.queue.address import find_url

_NOBODY = 65534
_START_SECONDS = 60
# Returns the address of a new and empty database with this name.
Create: TypeAlias = Callable[[str], str]


@contextmanager
def open_databases(folder: Path) -> Iterator[dict[str, Create]]:
    """Yield what creates databases of each kind; Postgres is left out if it is not installed."""

    def create_file(name: str) -> str:
        return find_url(str(folder / f"{name}.sqlite"), home=folder, environ={})

    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        print("Postgres is not installed: its rows are left out")
        yield {"SQLite": create_file}
        return
    with _run_postgres(programs[-1]) as port:

        def create_database(name: str) -> str:
            server = f"postgresql://queue@127.0.0.1:{port}/"
            engine = sa.create_engine(find_url(f"{server}postgres", home=folder, environ={}))
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.exec_driver_sql(f"CREATE DATABASE {name}")
            engine.dispose()
            return find_url(f"{server}{name}", home=folder, environ={})

        yield {"SQLite": create_file, "Postgres": create_database}


@contextmanager
def _run_postgres(programs: Path) -> Iterator[int]:
    """Run a server with its usual settings (each commit reaches the disk); yield its port."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    # initdb refuses to run as root.
    user = _NOBODY if os.geteuid() == 0 else None
    if user:
        os.chown(folder, user, user)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def begin(program: str, *arguments: str) -> subprocess.Popen[bytes]:
        argv = [str(programs / program), "-D", str(folder / "data"), *arguments]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(argv, user=user, group=user, cwd=folder, stdout=quiet, stderr=quiet)

    if begin("initdb", "-U", "queue", "--auth=trust", "-N").wait() != 0:
        raise RuntimeError("initdb failed")
    where = ("-c", f"port={port}", "-c", "listen_addresses=127.0.0.1", "-k", str(folder))
    server = begin("postgres", *where)
    try:
        _wait_for_port(port)
        yield port
    finally:
        # Ends the connections that are left, then the server.
        server.send_signal(signal.SIGINT)
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for_port(port: int) -> None:
    until = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return
