"""Which process has opened a connection to us over the loopback interface; known on Linux only."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

Address: TypeAlias = tuple[str, int]
_TABLE = Path("/proc/net/tcp")
# The columns of a row of the table.
_LOCAL, _REMOTE, _INODE = 1, 2, 9


def find_connecting_process(theirs: Address, ours: Address) -> int:
    """Return the id of the process at the other end of a connection; 0 if it is not known."""
    inode = _find_inode(_encode(theirs), _encode(ours))
    if not inode:
        return 0
    target = f"socket:[{inode}]"
    return next((process for process, link in _list_links() if link == target), 0)


def _find_inode(local: str, remote: str) -> str:
    try:
        rows = _TABLE.read_text("ascii").splitlines()
    except OSError:
        return ""
    for row in rows:
        columns = row.split()
        if columns[_LOCAL : _REMOTE + 1] == [local, remote]:
            return columns[_INODE]
    return ""


def _encode(address: Address) -> str:
    """Return the address as the table has it: `0100007F:20E4` is 127.0.0.1:8420."""
    number = int.from_bytes(bytes(map(int, address[0].split("."))), "little")
    return f"{number:08X}:{address[1]:04X}"


def _list_links() -> Iterator[tuple[int, str]]:
    """Yield every open file of every process that we may look at."""
    for folder in Path("/proc").glob("[0-9]*"):
        # Processes of others, and those that end meanwhile.
        with suppress(OSError):
            for file in (folder / "fd").iterdir():
                with suppress(OSError):
                    yield int(folder.name), str(file.readlink())
