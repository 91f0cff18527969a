"""Selects the tests of a check that a change most likely breaks, and makes a run of them alone.

These are the test files that changed, those in which a test failed before, and those named after a
changed file: `test_cart.py` for `cart.py`. A runner has one entry in the table at the end.
"""

import re
import shlex
from collections.abc import Callable, Collection, Sequence
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from untildone.commands.arguments import parse_arguments
from untildone.commands.globs import match_glob
from untildone.commands.package_scripts import parse_package_scripts, select_scripts
from untildone.commands.programs import PACKAGE_MANAGERS, find_single_program
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check
from untildone.core.late_patterns import compile_late
from untildone.core.test_names import find_subject, names_file
from untildone.syntax.languages import language_of
from untildone.worktree.roles import classify_file

# Of more, the whole run is hardly slower.
_MOST_TARGETS = 50
# Words that a shell would change; what was quoted in the command is not known any more.
_SHELL_SYNTAX = compile_late(r"[$`\\*?\[\]{}~<>|&;()!#\n]")
_JAVASCRIPT = ("javascript", "typescript", "tsx")
# The files that a runner takes for tests in the folders it searches.
_PYTEST_FILE = compile_late(r"(?:.*/)?(?:test_[^/]*|[^/]*_test)\.py")
_NODE_FILE = compile_late(r"(?:.*/)?(?:[^/]*[._-]test|test-[^/]*|test|test/.*)\.[cm]?[jt]s")
_VITEST_FILE = compile_late(r".*\.(?:test|spec)\.[cm]?[jt]sx?")
# #[tokio::test]
# async fn adds() {
_RUST_TEST = compile_late(
    r"#\[(?:\w+::)*test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)"
)
# tests::adds
_RUST_NAME = compile_late(r"[\w:]+")


class Suspects(Struct, frozen=True, kw_only=True):
    """What may have broken a check, by paths in the project.

    `failed` are tests that failed before, as their runner names them, `flagged` files with
    findings, `known` all tests that the whole run is known to run (none: that is unknown).
    """

    changed: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    flagged: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()


class ProjectFiles(Struct, frozen=True):
    """The files of a project, and the folder in which they can be read."""

    root: Path
    paths: Collection[str]


class AffectedTests(Struct, frozen=True):
    """A run of the affected tests alone, and the test files that it is known to run."""

    check: Check
    files: frozenset[str]


class _Scope(Struct, frozen=True):
    """A check's folder in the project, and what may have broken the check."""

    suspects: Suspects
    project: ProjectFiles
    folder: str
    # What the changed files are about.
    subjects: frozenset[str]

    def list_files(self, *languages: str) -> list[str]:
        """Return the files of these languages in the check's folder, relative to that."""
        paths = (path for path in self.project.paths if language_of(path) in languages)
        inside = (path for path in map(PurePosixPath, paths) if path.is_relative_to(self.folder))
        names = (path.relative_to(self.folder).as_posix() for path in inside)
        return sorted(name for name in names if not name.startswith("-"))

    def list_affected(self, *languages: str) -> list[str]:
        return [file for file in self.list_files(*languages) if self.is_affected(file)]

    def is_affected(self, file: str) -> bool:
        """Say whether a file was changed, failed before, or is named after a changed file."""
        path = self.locate(file)
        return (
            path in self.suspects.changed
            or path in self.suspects.flagged
            or find_subject(path) in self.subjects
            or any(names_file(test, file) for test in self.suspects.failed)
        )

    def locate(self, file: str) -> str:
        """Return the path in the project of a file in the check's folder."""
        return (PurePosixPath(self.folder) / file).as_posix()

    def read(self, file: str) -> str:
        """Return the text of a file in the check's folder; empty if it cannot be read."""
        try:
            path = self.project.root / self.folder / file
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""


# The words behind the program for a run of the affected tests, and the files that it runs.
_Narrowed: TypeAlias = tuple[list[str], list[str]]
_Narrow: TypeAlias = Callable[[list[str], _Scope], _Narrowed | None]


def gather_suspects(changed: Collection[str], past: Sequence[CheckResult]) -> Suspects:
    """Return what a change and earlier failures point at; `past` are runs of the check."""
    red = [run for run in past if run.outcome == "red"]
    return Suspects(
        changed=frozenset(changed),
        failed=frozenset(test for run in red if run.tests for test in run.tests.failing),
        flagged=frozenset(finding.path for run in past for finding in run.findings),
    )


def select_affected_tests(
    check: Check, suspects: Suspects, project: ProjectFiles
) -> AffectedTests | None:
    """Return a run of the affected tests; None if there are none, too many, or no way to name them.

    Only a plain call of a known runner can be narrowed, also as a script of a `package.json`.
    """
    parts = find_single_program(check.command)
    if parts is None:
        return None
    program, launcher, arguments = parts
    subjects = frozenset(map(find_subject, suspects.changed))
    scope = _Scope(suspects, project, PurePosixPath(check.cwd).as_posix(), subjects)
    narrow = _narrow_script if program in PACKAGE_MANAGERS else _narrow_call
    narrowed = narrow(program, arguments, scope)
    # A quoted word in front of the program could be an assignment, which quotes would break.
    if narrowed is None or any(shlex.quote(word) != word for word in launcher):
        return None
    words, files = narrowed
    narrow_check = replace(check, command=shlex.join((*launcher, *words)))
    return AffectedTests(narrow_check, frozenset(map(scope.locate, files)))


def _narrow_call(program: str, arguments: list[str], scope: _Scope) -> _Narrowed | None:
    narrow = _RUNNERS.get(program)
    return narrow(arguments, scope) if narrow else None


def _narrow_script(manager: str, arguments: list[str], scope: _Scope) -> _Narrowed | None:
    """Return the arguments of `npm test -- cart.test.js` if the script takes files at its end."""
    scripts = parse_package_scripts(scope.read("package.json"))
    commands = list(select_scripts([manager, *arguments], scripts))
    parts = find_single_program(commands[0]) if len(commands) == 1 else None
    # An option may lead to another package: `npm --prefix web test`.
    if parts is None or any(word.startswith("-") for word in arguments):
        return None
    program, _, words = parts
    narrowed = _narrow_call(program, words, scope)
    if narrowed is None or narrowed[0][: len(words)] != words:
        return None
    # npm keeps options behind the script's name for itself.
    separator = ["--"] if manager == "npm" else []
    return [*arguments, *separator, *narrowed[0][len(words) :]], narrowed[1]


def _split_targets(program: str, words: list[str]) -> tuple[list[str], list[str]] | None:
    """Return options and targets of a call; None if the shell would change an option."""
    targets = list(parse_arguments(program, words).targets)
    options = [word for word in words if word not in targets]
    return None if any(map(_SHELL_SYNTAX.search, options)) else (options, targets)


def _narrow_to_files(
    program: str, words: list[str], scope: _Scope, *, files: Sequence[str], pattern: re.Pattern[str]
) -> _Narrowed | None:
    """Return a call with the affected ones of `files` in place of the folders that it names.

    `pattern` says which files in a folder are tests.
    """
    split = _split_targets(program, words)
    if split is None:
        return None
    options, targets = split
    found = [_find_tests(target, pattern, files) for target in targets or ["."]]
    # A word that names no test may be the shell's: `pytest tests > log`.
    if not all(found):
        return None
    tests = sorted({file for names in found for file in names})
    affected = [file for file in tests if scope.is_affected(file)]
    return ([*options, *affected], affected) if _is_narrow(affected, tests) else None


def _find_tests(target: str, pattern: re.Pattern[str], files: Sequence[str]) -> list[str]:
    """Return the test files that a runner finds for a target: a folder, a file or a pattern."""
    inside = (file for file in files if PurePosixPath(file).is_relative_to(target))
    return [*filter(pattern.fullmatch, inside)] or match_glob(target, files)


def _is_narrow(affected: Sequence[str], possible: Sequence[str]) -> bool:
    return 0 < len(affected) <= _MOST_TARGETS and len(affected) < len(possible)


def _narrow_pytest(words: list[str], scope: _Scope) -> _Narrowed | None:
    files = scope.list_files("python")
    # Settings may leave out test files that would run if they were named.
    known = {test.partition("::")[0] for test in scope.suspects.known}
    files = [file for file in files if file in known] if known else files
    return _narrow_to_files("pytest", words, scope, files=files, pattern=_PYTEST_FILE)


def _narrow_node(words: list[str], scope: _Scope) -> _Narrowed | None:
    if "--test" not in words:
        return None
    files = scope.list_files(*_JAVASCRIPT)
    return _narrow_to_files("node", words, scope, files=files, pattern=_NODE_FILE)


def _narrow_vitest(words: list[str], scope: _Scope) -> _Narrowed | None:
    if words[:1] != ["run"] and not all(word.startswith("-") for word in words):
        return None
    files = scope.list_files(*_JAVASCRIPT)
    return _narrow_to_files("vitest", words, scope, files=files, pattern=_VITEST_FILE)


def _narrow_jest(words: list[str], scope: _Scope) -> _Narrowed | None:
    """Return a call that lets jest find the tests which import a changed file."""
    split = _split_targets("jest", words)
    files = scope.list_affected(*_JAVASCRIPT)
    if split is None or split[1] or not 0 < len(files) <= _MOST_TARGETS:
        return None
    tests = [file for file in files if classify_file(file) == "test"]
    return [*words, "--findRelatedTests", *files], tests


def _narrow_go(words: list[str], scope: _Scope) -> _Narrowed | None:
    """Return a call of the packages with affected files or tests."""
    split = _split_targets("go", words) if words[:1] == ["test"] else None
    if split is None or split[1] != ["./..."]:
        return None
    files = scope.list_files("go")
    failed = tuple(test.partition("::")[0] for test in scope.suspects.failed)
    packages = {_find_package(file) for file in files}
    affected = {_find_package(file) for file in scope.list_affected("go")}
    # shop/cart::TestTotal
    affected |= {name for name in packages - {"."} for test in failed if test.endswith(name[1:])}
    if not _is_narrow([*affected], [*packages]):
        return None
    tests = [file for file in files if file.endswith("_test.go")]
    return [*split[0], *sorted(affected)], [
        file for file in tests if _find_package(file) in affected
    ]


def _find_package(file: str) -> str:
    """Return the package of a Go file as an argument: `./cart`."""
    return f"./{PurePosixPath(file).parent.as_posix()}".removesuffix("/.")


def _narrow_cargo(words: list[str], scope: _Scope) -> _Narrowed | None:
    """Return a call of the tests in affected files, by name; the harness takes parts of names."""
    split = _split_targets("cargo", words) if words[:1] == ["test"] else None
    if split is None or split[1] or "--" in words:
        return None
    files = scope.list_affected("rust")
    names = {name for file in files for name in _RUST_TEST.findall(scope.read(file))}
    names |= set(filter(_RUST_NAME.fullmatch, scope.suspects.failed))
    return ([*words, "--", *sorted(names)], files) if 0 < len(names) <= _MOST_TARGETS else None


_RUNNERS: dict[str, _Narrow] = {
    "pytest": _narrow_pytest,
    "node": _narrow_node,
    "vitest": _narrow_vitest,
    "jest": _narrow_jest,
    "go": _narrow_go,
    "cargo": _narrow_cargo,
}
