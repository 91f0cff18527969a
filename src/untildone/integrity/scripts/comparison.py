"""What the check commands come to, start against now: scripts, makefiles, package scripts, CI."""

import ast
import re
from collections.abc import Iterable, Iterator

from untildone.commands.exit_status import Call
from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.scripts.bound import bound, lost
from untildone.integrity.scripts.ci import ci_commands, is_ci
from untildone.integrity.scripts.followed import (
    followed,
    is_record,
    is_shell,
    led_to,
)
from untildone.integrity.scripts.named import checking
from untildone.integrity.scripts.promises import promised
from untildone.integrity.scripts.succeeded import succeeded
from untildone.integrity.suppressions.comments import comments
from untildone.worktree.contents import Tree

# A step that somebody has to start by hand decides nothing.
_RUN_BY_PUSH = re.compile(r"\b(push|pull_request|merge_group|merge_request\w*|workflow_call)\b")
# What a check compares its output with.
_EXPECTED = re.compile(r"expect|golden|snapshot", re.IGNORECASE)


def find_concerns(compared: Comparison) -> Iterator[Concern]:
    roots = [*compared.commands, *checking(compared.old)]
    told: set[tuple[str, Call]] = set()
    trees = (compared.old, compared.new)
    for command in dict.fromkeys(roots):
        old, new = (list(bound(tree, command)) for tree in trees)
        for call, word in lost(old, new, trees):
            path = _where(compared, command, call)
            kept = not word and succeeded(call, (old, new), compared.task)
            if path and (path, call) not in told and not kept:
                told.add((path, call))
                yield _call_lost(compared, path, call, word)
    yield from _ci(compared)
    yield from _other_languages(compared)
    yield from _records(compared)
    for path in promised(compared):
        because = f"`{path}` is all that the checks go by, and it was written by hand"
        yield make_concern(
            ConcernKind.CONFIG, path, because=because, content=_digest(compared, path)
        )


def handed_over(compared: Comparison, path: str) -> bool:
    """Whether the script runs the successor of a tool instead of it, and loses nothing else."""
    if compared.role(path) != "script" or path not in compared.changes.edited:
        return False
    trees, text = (compared.old, compared.new), compared.old.text(path)
    for command in compared.commands:
        old, new = (list(bound(tree, command)) for tree in trees)
        gone = [call for call, word in lost(old, new, trees) if not word and call[0] in text]
        if any(succeeded(call, (old, new), compared.task) for call in gone):
            return not any(each.path == path for each in find_concerns(compared))
    return False


def _where(compared: Comparison, command: str, call: Call) -> str:
    """The changed file that the call was written in, else the nearest one on the way to it."""
    changed = {*compared.changes.edited, *compared.changes.added, *compared.changes.removed}
    changed |= {*compared.changes.moved, *compared.changes.moved.values()}
    trees = (compared.old, compared.new)
    places = [path for tree in trees for _, path in followed(tree, command) if path]
    near = [path for path in reversed(places) if path in changed] or places[-1:]
    wrote = (path for path in near if call[0] in compared.old.text(path))
    return next(wrote, near[0] if near else "")


def _call_lost(compared: Comparison, path: str, call: Call, word: str) -> Concern:
    shown = " ".join(call)
    because = f"`{shown}` is narrowed by `{word}`" if word else f"`{shown}` no longer decides"
    return make_concern(
        ConcernKind.CONFIG,
        path,
        call[0],
        because=f"{path}: {because}",
        content=_digest(compared, path),
    )


def _ci(compared: Comparison) -> Iterator[Concern]:
    """A step may have gone to another file that was touched too."""
    for path in (*compared.changes.edited, *compared.changes.removed):
        if not is_ci(path):
            continue
        changed = {path, *compared.changes.edited, *compared.changes.added}
        touched = {each: compared.new.text(each) for each in changed if is_ci(each)}
        texts = [
            text for each, text in touched.items() if each == path or _RUN_BY_PUSH.search(text)
        ]
        old = _all(compared.old, ci_commands(compared.old.text(path)))
        new = _all(compared.new, (each for text in texts for each in ci_commands(text)))
        for call, word in lost(old, new, (compared.old, compared.new)):
            if word or not succeeded(call, (old, new), compared.task):
                yield _call_lost(compared, path, call, word)


def _all(tree: Tree, commands: Iterable[str]) -> list[Call]:
    return [call for command in commands for call in bound(tree, f"set -e\n{command}")]


def _other_languages(compared: Comparison) -> Iterator[Concern]:
    """A check in another language is not followed: any change of its code is asked about."""
    for path in (*compared.changes.edited, *compared.changes.removed):
        if path not in compared.judging or is_record(path) or _is_followed(compared, path):
            continue
        if _code(path, compared.old.text(path)) != _code(path, compared.new.text(path)):
            because = f"`{path}`, which the check runs, was changed"
            yield make_concern(
                ConcernKind.CONFIG, path, because=because, content=_digest(compared, path)
            )


def _is_followed(compared: Comparison, path: str) -> bool:
    name = path.rpartition("/")[2]
    return name == "package.json" or "akefile" in name or is_shell(path, compared.old.text(path))


class _Undocumented(ast.NodeTransformer):
    """Without what is only said: a text that nothing is done with."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node


def _code(path: str, text: str) -> str:
    if path.endswith(".py"):
        try:
            tree = ast.parse(text)
            return text if "__doc__" in text else ast.dump(_Undocumented().visit(tree))
        except (SyntaxError, ValueError, RecursionError):
            return text
    for comment in comments(path, text):
        text = text.replace(comment.text, "")
    return re.sub(r"\s+", " ", text).strip()


def _records(compared: Comparison) -> Iterator[Concern]:
    """A report or state that the check reads and nothing in it writes."""
    texts = [
        f"{text}\n{compared.old.text(path)}"
        for command in compared.commands
        for text, path in followed(compared.old, command)
    ]
    read_at_start = led_to(compared.old, compared.commands)
    for path in (*compared.changes.edited, *compared.changes.removed):
        written = re.compile(rf"(>|=|\b-o|output\S*)\s*['\"]?(\./)?{re.escape(path)}")
        if path in read_at_start and is_record(path) and not any(map(written.search, texts)):
            is_expected = _EXPECTED.search(path) is not None
            kind = ConcernKind.EDIT_EXPECTED if is_expected else ConcernKind.CONFIG
            because = f"`{path}`, which the check reads, was changed by hand"
            yield make_concern(kind, path, because=because, content=_digest(compared, path))


def _digest(compared: Comparison, path: str) -> str:
    entry = compared.new.entries.get(path)
    return entry.digest if entry else ""
