"""The process at the other end of a connection on this machine."""

import os
import socket
from pathlib import Path

import pytest

from untildone.process.peers import find_connecting_process

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="asks /proc")


def test_the_process_that_has_connected_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ours = server.getsockname()
        with socket.create_connection(ours) as client:
            theirs = client.getsockname()

            assert find_connecting_process(theirs, ours) == os.getpid()
            assert find_connecting_process(theirs, ("127.0.0.2", ours[1])) == 0
