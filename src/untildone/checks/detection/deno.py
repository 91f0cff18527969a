"""Deno: tasks of its configuration, else its own linter and test runner."""

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.detection import project_files
from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.checks.detection.script_harm import find_harm

_TEST_FILES = tuple(
    f"{stem}{ending}" for stem in ("_test", ".test") for ending in (".ts", ".tsx", ".js", ".mjs")
)
_ASPECTS: tuple[Aspect, ...] = ("build", "test", "lint")


def find_candidates(project: Path) -> Iterator[Candidate]:
    file = project_files.find_first(project, "deno.json", "deno.jsonc")
    if not file:
        return
    tasks = _read_tasks(project / file)
    for aspect in filter(tasks.__contains__, _ASPECTS):
        candidate = _make_candidate(
            aspect, f"deno task {aspect}", f"`{file}` has a task `{aspect}`"
        )
        yield replace(candidate, harm=find_harm(aspect, tasks))
    if "test" not in tasks and (
        found := next(project_files.find_files_by_ending(project, _TEST_FILES), "")
    ):
        yield _make_candidate("test", "deno test", f"`{found}` is a test file of a Deno project")
    if "lint" not in tasks or find_harm("lint", tasks):
        yield _make_candidate("lint", "deno lint", f"`{file}` makes it a Deno project")


def _read_tasks(path: Path) -> dict[str, str]:
    # A file with comments cannot be read and counts as empty.
    tasks = project_files.get_table(project_files.read_or_empty(path), "tasks")
    commands = {
        name: task.get("command") if isinstance(task, dict) else task
        for name, task in tasks.items()
    }
    return {name: command for name, command in commands.items() if isinstance(command, str)}


def _make_candidate(aspect: Aspect, command: str, reason: str) -> Candidate:
    return Candidate(aspect=aspect, tool="deno", command=command, reason=reason)
