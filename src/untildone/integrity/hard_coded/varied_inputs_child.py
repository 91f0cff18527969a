"""Calls functions of a module with many inputs and prints their results; runs as a script.

It reads `{"root": "/tmp/copy", "path": "shop.py", "calls": [["price", [100]]]}` as JSON from stdin,
and prints `["90"]`: for each call the `repr` of the result, or the name of the error.
"""

import contextlib
import importlib.util
import io
import json
import os
import sys
from itertools import product
from types import ModuleType
from typing import Any

# Audit events that change nothing, though their names begin as those of `_EVENTS_WITH_EFFECTS`.
_READING_EVENTS = frozenset(
    ("os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.getxattr", "os.listxattr", "os.putenv")
)
_EVENTS_WITH_EFFECTS = (
    *("os.", "shutil.", "subprocess.", "socket.", "sqlite3.", "ctypes.", "winreg.", "webbrowser."),
    *("smtplib.", "ftplib.", "urllib.", "pty.", "signal."),
)
# Functions of `os` that write and raise no audit event.
_UNAUDITED = ("mkfifo", "mknod")
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def main() -> None:
    """Answer the request on stdin, with side effects of the called functions forbidden."""
    request = json.load(sys.stdin)
    sys.addaudithook(_forbid_side_effects)
    # `os` has these functions from `posix`, or from `nt` on Windows.
    for module, name in product((os, sys.modules[os.name]), _UNAUDITED):
        if hasattr(module, name):
            delattr(module, name)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        module = _load_module(request["root"], request["path"])
        results = [_call(module, function, arguments) for function, arguments in request["calls"]]
    # On a line of its own: the module may have written to stdout past the redirection.
    print("\n" + json.dumps(results))  # noqa: T201  its one answer


def _forbid_side_effects(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise an error at an audit event that writes a file, starts a program or uses the network."""
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITE_FLAGS
    if writes or (event.startswith(_EVENTS_WITH_EFFECTS) and event not in _READING_EVENTS):
        raise PermissionError(event)


def _load_module(root: str, path: str) -> ModuleType:
    """Import the module at `path` as if from its own folder, the project's top or `src`."""
    file = os.path.join(root, path)  # noqa: PTH118  a lean process
    sys.path[:0] = [root, os.path.join(root, "src"), os.path.dirname(file)]  # noqa: PTH118, PTH120  as above
    spec = importlib.util.spec_from_file_location(os.path.basename(file)[:-3], file)  # noqa: PTH119  as above
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _call(module: ModuleType, function: str, arguments: list[object]) -> str:
    """Return the `repr` of the function's result, or the name of the error that it raises."""
    try:
        return repr(getattr(module, function)(*arguments))
    except Exception as error:  # noqa: BLE001  whatever it raises is its answer
        return type(error).__name__


if __name__ == "__main__":
    main()
