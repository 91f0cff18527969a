"""Concerns about checks that decide less than in the baseline, though their commands are the same.

The commands, and the scripts, makefiles, package scripts and CI workflows behind them, are reduced
to the calls of tools that decide their exit status. If `check.sh` ran `pytest` and now runs
`pytest || true`, the call `pytest` no longer decides.
"""

from collections.abc import Iterable, Iterator

from untildone.commands.ci import find_ci_commands, is_ci_file
from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.exit_status import Call
from untildone.commands.invoked_scripts import find_named_checks, find_run_scripts
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.scripts import deciding_file_changes
from untildone.integrity.scripts.call_changes import WeakenedCall, find_weakened_calls
from untildone.integrity.scripts.hand_written_evidence import find_hand_written_evidence
from untildone.worktree.contents import Tree

# The events at which CI runs a workflow by itself: one that is started by hand decides nothing.
_AUTOMATIC_TRIGGER = compile_late(
    r"\b(push|pull_request|merge_group|merge_request\w*|workflow_call)\b"
)


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield every concern about commands, CI workflows, and the files that decide the checks."""
    yield from _compare_commands(comparison)
    yield from _compare_workflows(comparison)
    yield from deciding_file_changes.find_changed_programs(comparison)
    yield from deciding_file_changes.find_changed_data(comparison)
    for path in find_hand_written_evidence(comparison):
        reason = f"all checks rest on `{path}`, which was written by hand"
        yield comparison.make_concern(ConcernKind.CONFIG, path, reason=reason)


def only_replaces_tool(comparison: Comparison, path: str) -> bool:
    """Say whether the edit of a script replaces a tool as the task asks, and weakens nothing."""
    if comparison.role(path) != "script" or path not in comparison.changes.edited:
        return False
    text = comparison.old.text(path)
    replaces = any(
        has_replacement and call[0] in text
        for command in comparison.commands
        for call, _, has_replacement in _find_weakened(comparison, command)
    )
    return replaces and not any(concern.path == path for concern in find_concerns(comparison))


def _find_weakened(comparison: Comparison, command: str) -> Iterator[WeakenedCall]:
    """Yield the calls that decided the command in the baseline and decide less of it now."""
    old, new = (list(find_deciding_calls(tree, command)) for tree in comparison.trees)
    return find_weakened_calls(comparison, old, new)


def _compare_commands(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each weakened call of the checks, and of scripts such as `make lint`."""
    seen: set[tuple[str, Call]] = set()
    for command in dict.fromkeys((*comparison.commands, *find_named_checks(comparison.old))):
        for call, argument, has_replacement in _find_weakened(comparison, command):
            path = _find_responsible_file(comparison, command, call)
            if path and (path, call) not in seen and not has_replacement:
                seen.add((path, call))
                yield _make_call_concern(comparison, path, call, argument)


def _find_responsible_file(comparison: Comparison, command: str, call: Call) -> str:
    """Return the changed script that contained the call, else the changed one nearest to it.

    It is the last script on the way if none of them changed, and empty for a command that runs no
    script of the project.
    """
    scripts = (script for tree in comparison.trees for script in find_run_scripts(tree, command))
    paths = [path for _, path in scripts if path]
    changed = comparison.changes.list_paths()
    nearest_first = [path for path in reversed(paths) if path in changed] or paths[-1:]
    containing = (path for path in nearest_first if call[0] in comparison.old.text(path))
    return next(containing, nearest_first[0] if nearest_first else "")


def _make_call_concern(comparison: Comparison, path: str, call: Call, argument: str) -> Concern:
    """Return a concern about a call that `argument` loosens, or that is gone if it is empty."""
    line = " ".join(call)
    reason = f"`{line}` is narrowed by `{argument}`" if argument else f"`{line}` no longer decides"
    return comparison.make_concern(ConcernKind.CONFIG, path, call[0], reason=f"{path}: {reason}")


def _compare_workflows(comparison: Comparison) -> Iterator[Concern]:
    """Yield a concern for each weakened call of a changed or removed CI workflow."""
    for path in comparison.changes.edited_or_removed:
        if not is_ci_file(path):
            continue
        old = _find_workflow_calls(comparison.old, [comparison.old.text(path)])
        new = _find_workflow_calls(comparison.new, _read_current_workflows(comparison, path))
        for call, argument, has_replacement in find_weakened_calls(comparison, old, new):
            if not has_replacement:
                yield _make_call_concern(comparison, path, call, argument)


def _read_current_workflows(comparison: Comparison, path: str) -> Iterator[str]:
    """Yield the texts of this workflow and of other changed ones: a step may have moved there."""
    for workflow in {path, *comparison.changes.edited, *comparison.changes.added}:
        text = comparison.new.text(workflow)
        if is_ci_file(workflow) and (workflow == path or _AUTOMATIC_TRIGGER.search(text)):
            yield text


def _find_workflow_calls(tree: Tree, workflows: Iterable[str]) -> list[Call]:
    """Return the calls that decide the steps of the workflows, given as their texts."""
    return [
        call
        for text in workflows
        for command in find_ci_commands(text)
        # CI ends a step at the first line that fails.
        for call in find_deciding_calls(tree, f"set -e\n{command}")
    ]
