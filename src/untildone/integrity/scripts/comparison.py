"""What the check commands run in both trees: scripts, makefiles, package scripts, CI."""

import ast
import re
from collections.abc import Iterable, Iterator
from copy import deepcopy

from untildone.commands.ci import find_ci_commands, is_ci_file
from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.exit_status import Call
from untildone.commands.invoked_scripts import find_named_checks, find_run_scripts, is_shell_script
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.scripts.call_changes import find_weakened_calls
from untildone.integrity.scripts.check_files import find_check_files, is_record
from untildone.integrity.scripts.hand_written_evidence import find_hand_written_evidence
from untildone.integrity.scripts.tool_replacements import is_replaced
from untildone.integrity.suppressions.comments import list_comments
from untildone.syntax.parsing import parse_python_file
from untildone.worktree.contents import Tree

# A workflow that somebody has to start by hand decides nothing.
_RUN_BY_PUSH = re.compile(r"\b(push|pull_request|merge_group|merge_request\w*|workflow_call)\b")
# What a check compares its output with.
_EXPECTED = re.compile(r"expect|golden|snapshot", re.IGNORECASE)


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    yield from _compare_commands(comparison)
    yield from _compare_ci(comparison)
    yield from _find_changed_programs(comparison)
    yield from _find_changed_records(comparison)
    for path in find_hand_written_evidence(comparison):
        reason = f"all checks rest on `{path}`, which was written by hand"
        yield comparison.make_concern(ConcernKind.CONFIG, path, reason=reason)


def replaces_tool(comparison: Comparison, path: str) -> bool:
    """Whether the script runs a tool's replacement, and nothing else of it is weakened."""
    if comparison.role(path) != "script" or path not in comparison.changes.edited:
        return False
    text = comparison.old.text(path)
    weakened = (each for command in comparison.commands for each in _compare(comparison, command))
    is_replacing = any(replaced and call[0] in text for call, _, replaced in weakened)
    return is_replacing and not any(each.path == path for each in find_concerns(comparison))


def _compare(comparison: Comparison, command: str) -> Iterator[tuple[Call, str, bool]]:
    """Yield the weakened calls, the word that narrows them, and whether a tool replaces them."""
    old, new = (list(find_deciding_calls(tree, command)) for tree in comparison.trees)
    for call, word in find_weakened_calls(old, new, comparison.trees):
        yield call, word, not word and is_replaced(call, (old, new), comparison.task)


def _compare_commands(comparison: Comparison) -> Iterator[Concern]:
    seen: set[tuple[str, Call]] = set()
    for command in dict.fromkeys((*comparison.commands, *find_named_checks(comparison.old))):
        for call, word, has_replacement in _compare(comparison, command):
            path = _find_changed_file(comparison, command, call)
            if path and (path, call) not in seen and not has_replacement:
                seen.add((path, call))
                yield _make_call_concern(comparison, path, call, word)


def _find_changed_file(comparison: Comparison, command: str, call: Call) -> str:
    """Return the changed file that the call was written in, else the nearest on the way to it."""
    scripts = (each for tree in comparison.trees for each in find_run_scripts(tree, command))
    paths = [path for _, path in scripts if path]
    changed = comparison.changes.list_paths()
    near = [path for path in reversed(paths) if path in changed] or paths[-1:]
    holders = (path for path in near if call[0] in comparison.old.text(path))
    return next(holders, near[0] if near else "")


def _make_call_concern(comparison: Comparison, path: str, call: Call, word: str) -> Concern:
    shown = " ".join(call)
    reason = f"`{shown}` is narrowed by `{word}`" if word else f"`{shown}` no longer decides"
    return comparison.make_concern(ConcernKind.CONFIG, path, call[0], reason=f"{path}: {reason}")


def _compare_ci(comparison: Comparison) -> Iterator[Concern]:
    for path in comparison.changes.edited_or_removed:
        if not is_ci_file(path):
            continue
        old = _find_all_calls(comparison.old, [comparison.old.text(path)])
        new = _find_all_calls(comparison.new, _find_current_workflows(comparison, path))
        for call, word in find_weakened_calls(old, new, comparison.trees):
            if word or not is_replaced(call, (old, new), comparison.task):
                yield _make_call_concern(comparison, path, call, word)


def _find_current_workflows(comparison: Comparison, path: str) -> Iterator[str]:
    """Yield the text of the file and of the other changed ones: a step may have moved there."""
    for each in {path, *comparison.changes.edited, *comparison.changes.added}:
        text = comparison.new.text(each)
        if is_ci_file(each) and (each == path or _RUN_BY_PUSH.search(text)):
            yield text


def _find_all_calls(tree: Tree, workflows: Iterable[str]) -> list[Call]:
    return [
        call
        for text in workflows
        for command in find_ci_commands(text)
        for call in find_deciding_calls(tree, f"set -e\n{command}")
    ]


def _find_changed_programs(comparison: Comparison) -> Iterator[Concern]:
    """Report any change of the code of a check in a language that is not followed."""
    for path in comparison.changes.edited_or_removed:
        if path not in comparison.judging or is_record(path) or _is_followed(comparison, path):
            continue
        old, new = (_strip_comments(tree, path) for tree in comparison.trees)
        if old != new:
            reason = f"`{path}`, which the check runs, was changed"
            yield comparison.make_concern(ConcernKind.CONFIG, path, reason=reason)


def _is_followed(comparison: Comparison, path: str) -> bool:
    name = path.rpartition("/")[2]
    is_known = name == "package.json" or "akefile" in name
    return is_known or is_shell_script(path, comparison.old.text(path))


class _DocstringRemover(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node


def _strip_comments(tree: Tree, path: str) -> str:
    """Return the code without comments, docstrings and layout."""
    text = tree.text(path)
    if path.endswith(".py"):
        module = None if "__doc__" in text else tree.fact(parse_python_file, path)
        return ast.dump(_DocstringRemover().visit(deepcopy(module))) if module else text
    for comment in tree.fact(list_comments, path):
        text = text.replace(comment.text, "")
    return re.sub(r"\s+", " ", text).strip()


def _find_changed_records(comparison: Comparison) -> Iterator[Concern]:
    """Report changed reports and states that a check reads and no script of it writes."""
    texts = [
        f"{text}\n{comparison.old.text(path)}"
        for command in comparison.commands
        for text, path in find_run_scripts(comparison.old, command)
    ]
    read_by_checks = find_check_files(comparison.old, comparison.commands)
    for path in comparison.changes.edited_or_removed:
        writes = re.compile(rf"(>|=|\b-o|output\S*)\s*['\"]?(\./)?{re.escape(path)}")
        if path in read_by_checks and is_record(path) and not any(map(writes.search, texts)):
            is_expected = _EXPECTED.search(path) is not None
            kind = ConcernKind.EDIT_EXPECTED if is_expected else ConcernKind.CONFIG
            reason = f"`{path}`, which the check reads, was changed by hand"
            yield comparison.make_concern(kind, path, reason=reason)
