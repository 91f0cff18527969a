"""Calls functions with many inputs and prints the results; runs as a script."""

import contextlib
import importlib.util
import io
import json
import os
import sys
from itertools import product
from types import ModuleType
from typing import Any

_READING_EVENTS = frozenset(
    ("os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.getxattr", "os.listxattr", "os.putenv")
)
_EVENTS_WITH_EFFECTS = (
    *("os.", "shutil.", "subprocess.", "socket.", "sqlite3.", "ctypes.", "winreg.", "webbrowser."),
    *("smtplib.", "ftplib.", "urllib.", "pty.", "signal."),
)
# They raise no audit event.
_UNAUDITED = ("mkfifo", "mknod")
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def main() -> None:
    request = json.load(sys.stdin)
    # Varied inputs must not make the function write files or start programs.
    sys.addaudithook(_forbid_side_effects)
    for module, name in product((os, sys.modules[os.name]), _UNAUDITED):
        if hasattr(module, name):
            delattr(module, name)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        module = _load_module(request["root"], request["path"])
        found = [_call(module, function, arguments) for function, arguments in request["calls"]]
    print("\n" + json.dumps(found))  # noqa: T201  its one answer


def _forbid_side_effects(event: str, arguments: tuple[Any, ...]) -> None:
    writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITE_FLAGS
    if writes or (event.startswith(_EVENTS_WITH_EFFECTS) and event not in _READING_EVENTS):
        raise PermissionError(event)


def _load_module(root: str, path: str) -> ModuleType:
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
    try:
        return repr(getattr(module, function)(*arguments))
    except Exception as error:  # noqa: BLE001  whatever it raises is its answer
        return type(error).__name__


if __name__ == "__main__":
    main()
