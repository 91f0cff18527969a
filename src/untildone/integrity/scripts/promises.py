"""Checks that run nothing and only read what somebody wrote: a promise is no evidence."""

import re
from collections.abc import Iterator

from untildone.commands.shell import bare, calls, redirected_to
from untildone.integrity.comparison import Comparison
from untildone.integrity.roles import role
from untildone.integrity.scripts.followed import followed, is_record, is_shell
from untildone.worktree.contents import Tree

_READING = frozenset(
    (
        *("grep", "egrep", "fgrep", "rg", "cat", "head", "tail", "wc", "sed", "awk", "cut", "tr"),
        *("jq", "yq", "diff", "cmp", "test", "[", "[[", "true", "false", ":", "echo", "printf"),
        *("set", "cd", "exit", "for", "case", "esac", "fi", "done", "sh", "bash", "dash"),
        *("make", "npm", "pnpm", "yarn"),
    )
)
_NOWHERE = ("/dev/null", "/dev/stderr", "1", "2")
_INTERPRETER = re.compile(r"python[\d.]*|node")
# Of a gate in another language; what it writes itself is nobody's promise.
_ACTS = re.compile(
    r"subprocess|child_process|system\(|[pP]open|spawn|\bexec|runpy|pytest|unittest"
    r"|[wW]rite|['\"][wax]b?['\"]"
)
_PROSE = re.compile(r"(.*/)?([^./]+|[^/]*\.(md|rst|adoc|txt|log|out|jsonl|status))")
_DOCUMENTATION = re.compile(r"(.*/)?((README|CHANGE|HISTORY|NEWS|CONTRIB)[^/]*|docs?/.*)", re.I)
_ASKED_FOR = re.compile(r"\b(docs?|document\w*|readme|change-?log|(release )?notes)\b", re.I)


def promised(compared: Comparison) -> Iterator[str]:
    """Words that all of the checks go by though there are tests to run, unless asked for."""
    if not any(role(path) == "test" for path in compared.old):
        return
    parts = [part for command in compared.commands for part in _parts(compared.old, command)]
    texts = [part for part in parts if part is not None]
    if len(texts) < len(parts):
        return
    said = {word.removeprefix("./") for text in texts for word in re.findall(r"[\w./-]+", text)}
    changes = compared.changes
    for path in sorted(said.intersection((*changes.edited, *changes.added))):
        # Of a record that was there at the start others tell.
        words = path in changes.added if is_record(path) else _is_prose(path)
        if words and not _is_asked_for(path, compared.task):
            yield path


def _is_prose(path: str) -> bool:
    return _PROSE.fullmatch(path) is not None and role(path) != "script"


def _is_asked_for(path: str, task: str) -> bool:
    named = path.rpartition("/")[2] in task
    return named or bool(_DOCUMENTATION.fullmatch(path) and _ASKED_FOR.search(task))


def _parts(tree: Tree, command: str) -> Iterator[str | None]:
    """The texts that a check consists of; None for one that runs or writes something."""
    every = list(followed(tree, command))
    own = frozenset(path for _, path in every)
    for text, path in every:
        whole = text or tree.text(path)
        if "akefile" in path:
            whole = "\n".join(re.findall(r"(?m)^\t[@+-]*(.*)", whole))
        if text or is_shell(path, whole):
            reads = all(_only_reads(call, own) for call in calls(whole))
        else:
            reads = not _ACTS.search(whole)
        yield whole if reads else None


def _only_reads(call: list[str], own: frozenset[str]) -> bool:
    """A script that is followed is a part of its own."""
    program, script = bare(call[0]), "".join(call[1:2])
    followed_up = call[0].removeprefix("./") in own or (
        _INTERPRETER.fullmatch(program) and script.removeprefix("./") in own
    )
    kept = set(redirected_to(call)).difference(_NOWHERE)
    return (program in _READING or bool(followed_up)) and not kept
