"""Tests by name, from reports that a run is asked to write without changing its command.

Every runner that can be asked by its environment is, and its output stays as readable as it was:

- pytest: a second report beside its output.
- node: a second reporter beside the one for people.
- go: `-v`, since `-json` would replace the text of the tests, and the exit code of `go vet`.
- Maven, Gradle: they write reports by themselves, always into the same folders.
- jest, vitest, unittest, ctest, prove: no variable names a report. Mocha has one, but a single
  reporter. cargo has none either, and prints every test. What they print is read.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.parsers import PARSERS, junit
from untildone.checks.run_report import RunReport
from untildone.commands.programs import lone_program, programs, words_of
from untildone.process import run

_LARGEST = 64_000_000
_MOST_FILES = 2_000
_ASKED_SECONDS = 10.0
_EARLIER = "earlier"
_UNITTEST_REPORTER = Path(__file__).parent / "unittest_reporter"

# With one of these pytest runs no test, or was told where its report goes.
_WITHOUT_REPORT = re.compile(
    r"(?:^| )(?:--junit-?xml|--collect-only|--co(?= |$)|--version|-VV?(?= |$)|--help|-h(?= |$)"
    r"|--fixtures|--funcargs|--markers|--setup-(?:plan|only)|--cache-show|-p ?no:junitxml)"
)
# node --import tsx --test "src/**/*.test.ts"
_NODE_TEST = re.compile(r"(?:^|[\s/])node (?:[^&|;\n]* )?--test(?=\s|$)")
_MANAGERS = frozenset({"npm", "pnpm", "yarn"})
_OLDEST_NODE = (20, 12)
# go test ./...
_GO_TEST = re.compile(r"(?:^|[\s/(])go(?:\.exe)? test(?=\s|$)(?![^&|;\n]* -(?:v|json|test\.v)\b)")
# How their parsers join the class and the test.
_JAVA = {
    "mvn": ("target/*-reports", "."),
    "mvnw": ("target/*-reports", "."),
    "mvnd": ("target/*-reports", "."),
    "gradle": ("build/test-results/*", " > "),
    "gradlew": ("build/test-results/*", " > "),
}


# PYTHONPATH=src python -m unittest; python -I -m unittest
_OWN_PATH = re.compile(
    r"\bPYTHONPATH=|\bpython[\d.]*(?: -\w+)* -[a-zA-Z]*[IES]|\benv (?:-i|-)(?= )"
)


class ReportRequest(Struct, frozen=True, kw_only=True):
    """The environment with the wish in it; `expected` if a run without a report is no evidence."""

    environ: dict[str, str]
    expected: bool = False


class _Script(Struct, frozen=True):
    scripts: dict[str, str] = {}


def request_report(
    command: str, path: Path, *, folder: Path, environ: dict[str, str]
) -> ReportRequest:
    """The path is new for every run and not to be guessed."""
    if java := _java(command):
        stamps = {str(file): _stamp(file) for file in _reports_below(folder, java)}
        path.with_name(_EARLIER).write_bytes(msgspec.json.encode(stamps))
    if _may_run_pytest(command):
        # In this family a case names its file, so that its id is the one pytest itself prints.
        options = f"--junitxml={shlex.quote(str(path))} -o junit_family=xunit1"
        environ = _added(environ, "PYTEST_ADDOPTS", options)
    if _runs_node_tests(command, folder, environ):
        file = f'--test-reporter=junit --test-reporter-destination="{path.as_posix()}"'
        people = "--test-reporter=spec --test-reporter-destination=stdout"
        environ = _added(environ, "NODE_OPTIONS", f"{file} {people}")
    if _GO_TEST.search(command) and (flags := _go_flags(folder, environ)) is not None:
        environ = {**environ, "GOFLAGS": f"{flags} -v".strip()}
    expected = "pytest" in programs(command) and _may_run_pytest(command)
    return ReportRequest(environ=environ, expected=expected)


def add_unittest_reporter(wish: ReportRequest, command: str, path: Path) -> ReportRequest:
    """Where the path of Python is ours to choose, unittest has to report too."""
    if "unittest" not in programs(command) or _OWN_PATH.search(command):
        return wish
    places = (str(_UNITTEST_REPORTER), wish.environ.get("PYTHONPATH", ""))
    path_of_python = os.pathsep.join(filter(None, places))
    environ = {"PYTHONPATH": path_of_python, "UNTILDONE_UNITTEST_REPORT": str(path)}
    return ReportRequest(environ={**wish.environ, **environ}, expected=True)


def _added(environ: dict[str, str], name: str, options: str) -> dict[str, str]:
    return {**environ, name: f"{environ.get(name, '')} {options}".strip()}


def _may_run_pytest(command: str) -> bool:
    """By its name, or inside of something that is not known, such as `make test`."""
    named = programs(command)
    known = any(name in parser.PROGRAMS for parser in PARSERS.values() for name in named)
    if "pytest" not in named and known:
        return False
    return not _WITHOUT_REPORT.search(" ".join(words_of(command)))


def _runs_node_tests(command: str, folder: Path, environ: dict[str, str]) -> bool:
    """Only if nobody chose a reporter: node ends at once if reporters and places are not even."""
    script = _script(command, folder)
    chosen = "--test-reporter" in f"{command} {script} {environ.get('NODE_OPTIONS', '')}"
    if chosen or not (_NODE_TEST.search(command) or _NODE_TEST.search(script)):
        return False
    node = shutil.which("node", path=environ.get("PATH"))
    return node is not None and _node_version(node) >= _OLDEST_NODE


def _script(command: str, folder: Path) -> str:
    """What `npm test` or `npm run NAME` comes to."""
    program, _, words = lone_program(command) or ("", [], [])
    if program not in _MANAGERS:
        return ""
    try:
        package = msgspec.json.decode((folder / "package.json").read_bytes(), type=_Script)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    names = [word for word in words if not word.startswith("-") and word != "run"]
    return package.scripts.get(names[0], "") if names else ""


@lru_cache
def _node_version(node: str) -> tuple[int, int]:
    said = run([node, "--version"], cwd=Path.cwd(), timeout=_ASKED_SECONDS).text
    match = re.match(r"v(\d+)\.(\d+)\.", said)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _go_flags(folder: Path, environ: dict[str, str]) -> str | None:
    """Those that are set, also by `go env -w`, which a variable would hide; None if unknown."""
    go = shutil.which("go", path=environ.get("PATH"))
    if go is None:
        return None
    argv = [go, "env", "GOFLAGS"]
    said = run(argv, cwd=folder, timeout=_ASKED_SECONDS, env=environ)
    return said.text.strip() if said.exit_code == 0 else None


def load_report(command: str, path: Path, *, folder: Path) -> RunReport | None:
    """What the run reported; nothing where it wrote no report, or none that can be read."""
    if java := _java(command):
        return _of_java(java, folder, path.with_name(_EARLIER))
    return _read(path)


def _read(path: Path) -> RunReport | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        return junit.parse_report(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def _java(command: str) -> tuple[str, str] | None:
    return next((_JAVA[name] for name in programs(command) if name in _JAVA), None)


def _of_java(java: tuple[str, str], folder: Path, earlier: Path) -> RunReport | None:
    """Of every module, those of this run alone: an older one tells of tests that may be gone."""
    try:
        known = msgspec.json.decode(earlier.read_bytes(), type=dict[str, tuple[int, ...]])
    except OSError:
        return None
    files = sorted(_reports_below(folder, java))
    fresh = [file for file in files if _stamp(file) != known.get(str(file))]
    found = [inventory for inventory in map(_read, fresh) if inventory]
    cases = [case for inventory in found for case in inventory.cases]
    if not found:
        return None
    _, joined = java
    return RunReport(
        cases=tuple(replace(case, id=case.id.replace("::", joined, 1)) for case in cases)
    )


def _reports_below(folder: Path, java: tuple[str, str]) -> Iterator[Path]:
    reports, _ = java
    places = (f"{'*/' * depth}{reports}/TEST-*.xml" for depth in range(4))
    return islice(chain.from_iterable(map(folder.glob, places)), _MOST_FILES)


def _stamp(file: Path) -> tuple[int, ...]:
    """Told apart by more than the time alone: two files may be written within one tick of it."""
    try:
        status = file.stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_size, status.st_ino
