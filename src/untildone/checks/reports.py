"""Makes test runners write a report of their tests, and reads it.

The command of a check is not changed; environment variables ask for the report, and the output
stays readable:

- pytest: a JUnit file beside its output.
- node: a second reporter beside the default one.
- go: `-v`, since `-json` would replace the text of the tests, and the exit code of `go vet`.
- unittest: a module on `PYTHONPATH` that writes a JUnit file, where we control the path.
- Maven, Gradle: they write reports by themselves, always into the same folders.
- jest, vitest, ctest, prove, cargo: no variable asks for a report; mocha can have one reporter
  only. Their output is parsed.
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

from untildone.checks.file_stamp import read_stamp
from untildone.checks.parsers import find_parsers, junit
from untildone.checks.run_report import RunReport
from untildone.commands import programs
from untildone.commands.package_scripts import parse_package_scripts, select_scripts
from untildone.core.late_patterns import compile_late
from untildone.process.runner import run

_LARGEST = 64_000_000
_MOST_FILES = 2_000
_QUERY_SECONDS = 10.0
_STAMPS_FILE = "earlier"
_UNITTEST_REPORTER = Path(__file__).parent / "unittest_reporter"

# With one of these options pytest runs no test, or has a report already.
_PYTEST_WITHOUT_REPORT = compile_late(
    r"(?:^| )(?:--junit-?xml|--collect-only|--co(?= |$)|--version|-VV?(?= |$)|--help|-h(?= |$)"
    r"|--fixtures|--funcargs|--markers|--setup-(?:plan|only)|--cache-show|-p ?no:junitxml)"
)
# node --import tsx --test "src/**/*.test.ts"
_NODE_TEST = compile_late(r"(?:^|[\s/])node (?:[^&|;\n]* )?--test(?=\s|$)")
_OLDEST_NODE = (20, 12)
# go test ./...
_GO_TEST = compile_late(r"(?:^|[\s/(])go(?:\.exe)? test(?=\s|$)(?![^&|;\n]* -(?:v|json|test\.v)\b)")
# The folders of the reports, and how the tool's parser joins class and test.
_JAVA_REPORTS = {
    "mvn": ("target/*-reports", "."),
    "mvnw": ("target/*-reports", "."),
    "mvnd": ("target/*-reports", "."),
    "gradle": ("build/test-results/*", " > "),
    "gradlew": ("build/test-results/*", " > "),
}
# PYTHONPATH=src python -m unittest; python -I -m unittest
_SETS_PYTHON_PATH = compile_late(
    r"\bPYTHONPATH=|\bpython[\d.]*(?: -\w+)* -[a-zA-Z]*[IES]|\benv (?:-i|-)(?= )"
)
# Variables that tell go where the file of `go env -w` is, and how to run.
_DECIDES_GO_FLAGS = compile_late(
    r"(?i)GO|HOME$|PATH$|XDG_CONFIG_HOME$|APPDATA$|USERPROFILE$|SYSTEMROOT$"
)


class ReportRequest(Struct, frozen=True, kw_only=True):
    """The environment that asks for a report; `expected` if a run without one is no evidence."""

    environ: dict[str, str]
    expected: bool = False


def request_report(
    command: str,
    path: Path,
    *,
    folder: Path,
    environ: dict[str, str],
    written_folder: Path | None = None,
) -> ReportRequest:
    """Return the environment that makes the command's test runner write a report to `path`.

    `path` must be new for every run and impossible to guess: the tests could forge it. In a sandbox
    `written_folder` is where this process finds what the command writes to `folder`.
    """
    names = programs.find_programs(command)
    if java := _find_java_reports(command):
        stamps = {
            str(file): read_stamp(file) for file in _list_reports(written_folder or folder, java)
        }
        path.with_name(_STAMPS_FILE).write_bytes(msgspec.json.encode(stamps))
    if _may_run_pytest(command):
        # In this family a case has its file, so its id is the one that pytest prints.
        options = f"--junitxml={shlex.quote(str(path))} -o junit_family=xunit1"
        environ = _add_options(environ, "PYTEST_ADDOPTS", options)
    if _runs_node_tests(command, folder, environ):
        to_file = f'--test-reporter=junit --test-reporter-destination="{path.as_posix()}"'
        to_terminal = "--test-reporter=spec --test-reporter-destination=stdout"
        environ = _add_options(environ, "NODE_OPTIONS", f"{to_file} {to_terminal}")
    if _GO_TEST.search(command) and (flags := _find_go_flags(folder, environ)) is not None:
        environ = {**environ, "GOFLAGS": f"{flags} -v".strip()}
    reports_unittest = (
        written_folder and "unittest" in names and not _SETS_PYTHON_PATH.search(command)
    )
    if reports_unittest:
        folders = (str(_UNITTEST_REPORTER), environ.get("PYTHONPATH", ""))
        python_path = os.pathsep.join(filter(None, folders))
        reporter = {"PYTHONPATH": python_path, "UNTILDONE_UNITTEST_REPORT": str(path)}
        environ = {**environ, **reporter}
    reports_pytest = "pytest" in names and _may_run_pytest(command)
    return ReportRequest(environ=environ, expected=reports_unittest or reports_pytest)


def _add_options(environ: dict[str, str], name: str, options: str) -> dict[str, str]:
    return {**environ, name: f"{environ.get(name, '')} {options}".strip()}


def _may_run_pytest(command: str) -> bool:
    """Say whether the command names pytest, or only programs without a parser, such as `make`."""
    names = programs.find_programs(command)
    if "pytest" not in names and find_parsers(names):
        return False
    return not _PYTEST_WITHOUT_REPORT.search(" ".join(programs.split_words(command)))


def _runs_node_tests(command: str, folder: Path, environ: dict[str, str]) -> bool:
    """Say whether a reporter can be added: `node --test` must have none of its own."""
    script = _read_script(command, folder)
    has_reporter = "--test-reporter" in f"{command} {script} {environ.get('NODE_OPTIONS', '')}"
    if has_reporter or not (_NODE_TEST.search(command) or _NODE_TEST.search(script)):
        return False
    node = shutil.which("node", path=environ.get("PATH"))
    return node is not None and _read_node_version(node) >= _OLDEST_NODE


def _read_script(command: str, folder: Path) -> str:
    """Return the scripts that `npm test` or `npm run NAME` runs; "" for other commands."""
    program, _, words = programs.find_single_program(command) or ("", [], [])
    if program not in programs.PACKAGE_MANAGERS:
        return ""
    try:
        package = (folder / "package.json").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return "\n".join(select_scripts([program, *words], parse_package_scripts(package)))


@lru_cache
def _read_node_version(node: str) -> tuple[int, int]:
    finished = run([node, "--version"], cwd=Path.cwd(), timeout=_QUERY_SECONDS)
    match = re.match(r"v(\d+)\.(\d+)\.", finished.text)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _find_go_flags(folder: Path, environ: dict[str, str]) -> str | None:
    """Return the current flags, since our variable hides those of `go env -w`; None if unknown."""
    if flags := environ.get("GOFLAGS"):
        return flags
    go = shutil.which("go", path=environ.get("PATH"))
    deciding = {name: environ[name] for name in environ if _DECIDES_GO_FLAGS.match(name)}
    return _read_go_flags(go, str(folder), tuple(sorted(deciding.items()))) if go else None


@lru_cache
def _read_go_flags(go: str, folder: str, environ: tuple[tuple[str, str], ...]) -> str | None:
    """Ask `go`; once in a process, since every run of a stop gets the same answer."""
    finished = run(
        [go, "env", "GOFLAGS"], cwd=Path(folder), timeout=_QUERY_SECONDS, env=dict(environ)
    )
    return finished.text.strip() if finished.exit_code == 0 else None


def load_report(command: str, path: Path, *, folder: Path) -> RunReport | None:
    """Return the report of the run; None if it wrote no report that can be read."""
    if java := _find_java_reports(command):
        return _load_java_reports(java, folder, path.with_name(_STAMPS_FILE))
    return _read_report(path)


def _read_report(path: Path) -> RunReport | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        return junit.parse_report(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def _find_java_reports(command: str) -> tuple[str, str] | None:
    return next(
        (_JAVA_REPORTS[name] for name in programs.find_programs(command) if name in _JAVA_REPORTS),
        None,
    )


def _load_java_reports(java: tuple[str, str], folder: Path, stamps_file: Path) -> RunReport | None:
    """Return the reports of all modules that this run wrote; older ones may name deleted tests."""
    try:
        earlier = msgspec.json.decode(stamps_file.read_bytes(), type=dict[str, tuple[int, ...]])
    except OSError:
        return None
    files = sorted(_list_reports(folder, java))
    fresh = [file for file in files if read_stamp(file) != earlier.get(str(file))]
    reports = [report for report in map(_read_report, fresh) if report]
    cases = [case for report in reports for case in report.cases]
    if not reports:
        return None
    _, separator = java
    return RunReport(
        cases=tuple(replace(case, id=case.id.replace("::", separator, 1)) for case in cases)
    )


def _list_reports(folder: Path, java: tuple[str, str]) -> Iterator[Path]:
    location, _ = java
    patterns = (f"{'*/' * depth}{location}/TEST-*.xml" for depth in range(4))
    return islice(chain.from_iterable(map(folder.glob, patterns)), _MOST_FILES)
