"""Calls one function with many inputs and prints what came of each; run as a file of its own."""

import contextlib
import importlib.util
import io
import json
import os
import sys
from types import ModuleType
from typing import Any


def main() -> None:
    question = json.load(sys.stdin)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        function = getattr(_loaded(question["root"], question["path"]), question["function"])
        found = [_outcome(function, given) for given in question["asked"]]
    print("\n" + json.dumps(found))  # noqa: T201  its one answer


def _loaded(root: str, path: str) -> ModuleType:
    file = os.path.join(root, path)  # noqa: PTH118  a lean process
    sys.path[:0] = [root, os.path.join(root, "src"), os.path.dirname(file)]  # noqa: PTH118, PTH120  as above
    spec = importlib.util.spec_from_file_location(os.path.basename(file)[:-3], file)  # noqa: PTH119  as above
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _outcome(function: Any, given: list[object]) -> str:  # noqa: ANN401  whatever was written
    try:
        return repr(function(*given))
    except Exception as error:  # noqa: BLE001  whatever it raises is its answer
        return type(error).__name__


if __name__ == "__main__":
    main()
