"""`python -m bench path`: which modules a stop passes, and what it parses or reads more than once.

Two stops of a small project are played through the real hook entry, one with a red check and one
that ends the loop. A process of its own traces each of them.
"""

import ast
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from msgspec import Struct

from untildone.app import open_context
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.engine.baseline_results import save_baseline_results
from untildone.engine.loop_start import begin_loop
from untildone.engine.request import Request, name_checks

TOP = Path(__file__).parents[1]
PACKAGE = TOP / "src" / "untildone"
SESSION = "5f0c2a9e-0000-4000-8000-00000000000b"
ENVIRON = {"CLAUDE_CODE_SESSION_ID": SESSION, "AI_AGENT": "claude-code_2-1-325_harness"}
# Changes from one package to another that a stop may take.
BOUNDS = {"red": 40, "done": 80}
WRONG = "def add(a, b):\n    return a - b\n"
RIGHT = "def add(a, b):\n    return a + b\n"
TEST = """\
import unittest

from calc import add


class TestAdd(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)
"""


class Trail(Struct, frozen=True, kw_only=True):
    """What one stop did: modules in the order in which they were first entered."""

    answer: str
    modules: tuple[str, ...]
    entries: dict[str, int]
    parses: dict[str, int]
    reads: dict[str, int]

    @property
    def packages(self) -> tuple[str, ...]:
        """The packages passed; features called one after another count as one pass."""
        names = [module.split(".")[1] if "." in module else module for module in self.modules]
        return tuple(
            name for index, name in enumerate(names) if index == 0 or name != names[index - 1]
        )

    @property
    def changes(self) -> int:
        return len(self.packages) - 1

    @property
    def parsed_twice(self) -> dict[str, int]:
        return {what: times for what, times in self.parses.items() if times > 1}


class Tracer:
    """Profiles calls of our own code in every thread; parses and reads are counted by patches."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.modules: dict[str, None] = {}
        self.entries: Counter[str] = Counter()
        self.parses: Counter[str] = Counter()
        self.reads: Counter[str] = Counter()
        self._known: dict[CodeType, str] = {}
        self._importing: Counter[int] = Counter()

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if code.co_name == "_find_and_load":
            # What a module does while it is imported is not the stop's path.
            self._importing[threading.get_ident()] += {"call": 1, "return": -1}.get(event, 0)
        if event != "call" or self._importing[threading.get_ident()]:
            return
        if code not in self._known:
            self._known[code] = _module_of(code)
        module = self._known[code]
        if module:
            self.modules.setdefault(module)
            self.entries[f"{module}.{code.co_name}"] += 1

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Counts the files of the project and of the loop that are opened for reading."""
        if event != "open" or not isinstance(arguments[0], str):
            return
        path, mode = arguments[0], arguments[1]
        reads = "r" in mode if isinstance(mode, str) else not arguments[2] & os.O_WRONLY
        self.reads[path] += reads and path.startswith(self._folder)

    def count_parses(self) -> None:
        import tomllib

        self._count(ast, "parse", "ast.parse")
        self._count(tomllib, "loads", "tomllib.loads")
        try:
            import ast_grep_py
        except ImportError:
            return
        root = ast_grep_py.SgRoot

        def counted(text: str, language: str) -> object:
            self.parses[f"ast-grep {language} {_digest(text)}"] += 1
            return root(text, language)

        ast_grep_py.SgRoot = counted  # type: ignore[assignment,misc]  # stands in for the class

    def _count(self, module: Any, name: str, what: str) -> None:  # noqa: ANN401  a module
        original: Callable[..., object] = getattr(module, name)

        def counted(text: Any, *rest: Any, **named: Any) -> object:  # noqa: ANN401  as the original
            self.parses[f"{what} {_digest(text)}"] += 1
            return original(text, *rest, **named)

        setattr(module, name, counted)


def _digest(text: object) -> str:
    shown = text if isinstance(text, str) else repr(text)
    return f"{len(shown)} characters, {hash(shown) & 0xFFFFFF:06x}"


def _module_of(code: CodeType) -> str:
    """Nothing for code that is not ours and for the bodies of modules, which run once anyway."""
    if code.co_name == "<module>" or not code.co_filename.startswith(f"{PACKAGE}{os.sep}"):
        return ""
    inner = Path(code.co_filename).relative_to(PACKAGE).with_suffix("")
    return ".".join(("untildone", *(part for part in inner.parts if part != "__init__")))


def trace(home: str, output: Path) -> None:
    """Plays one stop, whose payload is on stdin, in this process."""
    import io
    from contextlib import redirect_stdout

    from untildone.hooks import entry

    tracer = Tracer(str(output.parent))
    tracer.count_parses()
    sys.addaudithook(tracer.audit)
    threading.setprofile(tracer.profile)
    answer = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(answer):
        sys.setprofile(tracer.profile)
        entry.main(["Stop", "claude", "settings", home])
        sys.setprofile(None)
    answer.seek(0)
    trail = {
        "answer": answer.read(),
        "modules": list(tracer.modules),
        "entries": dict(tracer.entries),
        "parses": dict(tracer.parses),
        "reads": {path: times for path, times in tracer.reads.items() if times},
    }
    output.write_text(json.dumps(trail), encoding="utf-8")


def play(folder: Path) -> Iterator[tuple[str, Trail]]:
    """A red stop, then one at which the work is done."""
    project, home = folder / "project", folder / "state"
    project.mkdir()
    (project / "calc.py").write_text(WRONG, encoding="utf-8")
    (project / "test_calc.py").write_text(TEST, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    context = open_context(ENVIRON, home=str(home))
    checks = name_checks((f"{sys.executable} -m unittest -q",))
    record = begin_loop(context, Request(session=SESSION, project=project, checks=checks))
    save_baseline_results(
        context, record.contract.id, run_checks(checks, RunOptions(project=project))
    )
    yield "red", _stop(folder)
    (project / "calc.py").write_text(RIGHT, encoding="utf-8")
    yield "done", _stop(folder)


def _stop(folder: Path) -> Trail:
    output = folder / "trail.json"
    payload = {
        "session_id": SESSION,
        "hook_event_name": "Stop",
        "cwd": str(folder / "project"),
        "prompt_id": "p1",
        "stop_hook_active": False,
        "last_assistant_message": "Done.",
    }
    subprocess.run(
        [sys.executable, "-m", "bench.path", str(folder / "state"), str(output)],
        input=json.dumps(payload).encode(),
        cwd=TOP,
        env={**os.environ, **ENVIRON, "PYTHONHASHSEED": "0"},
        check=True,
    )
    return Trail(**json.loads(output.read_text(encoding="utf-8")))


def describe(name: str, trail: Trail) -> Iterator[str]:
    yield f"{name} stop: {trail.answer.strip()[:160]}"
    for module in trail.modules:
        yield f"    {module}"
    entered = Counter(trail.entries).most_common(8)
    yield f"  package changes: {trail.changes} (bound {BOUNDS[name]}): {' '.join(trail.packages)}"
    yield "  entered most: " + ", ".join(f"{what} {times}" for what, times in entered)
    yield f"  parses: {sum(trail.parses.values())}, of them twice: {len(trail.parsed_twice)}"
    for what, times in trail.parsed_twice.items():
        yield f"    {times} times: {what}"
    again = {path: times for path, times in trail.reads.items() if times > 1}
    yield f"  files read: {len(trail.reads)}, of them more than once: {len(again)}"
    for path, times in Counter(again).most_common(12):
        yield f"    {times} times: {path}"


def holds(name: str, trail: Trail) -> bool:
    return trail.changes < BOUNDS[name] and not trail.parsed_twice


def main(arguments: Sequence[str]) -> int:
    """With `--check`, the exit status tells whether both stops keep their bounds."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        trails = list(play(Path(folder)))
    for name, trail in trails:
        print("\n".join(describe(name, trail)))
    kept = all(holds(name, trail) for name, trail in trails)
    return int("--check" in arguments and not kept)


if __name__ == "__main__":
    trace(sys.argv[1], Path(sys.argv[2]))
