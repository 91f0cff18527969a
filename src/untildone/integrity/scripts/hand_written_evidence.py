"""Checks that run nothing and only read a text that the agent could have written."""

import re
from collections.abc import Iterator

from untildone.commands.invoked_scripts import find_run_scripts, is_shell_script
from untildone.commands.programs import PACKAGE_MANAGERS
from untildone.commands.shell import (
    SHELLS,
    find_redirect_targets,
    parse_calls,
    program_name,
)
from untildone.integrity.comparison import Comparison
from untildone.integrity.scripts.check_files import is_record
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_READING = (
    SHELLS
    | PACKAGE_MANAGERS
    | words("""
        grep egrep fgrep rg cat head tail wc sed awk cut tr jq yq diff cmp test [ [[ true false :
        echo printf set cd exit for case esac fi done make
    """)
)
_NOWHERE = ("/dev/null", "/dev/stderr", "1", "2")
_INTERPRETER = re.compile(r"python[\d.]*|node")
# What a script in another language does that makes it more than a reader.
_ACTS = re.compile(
    r"subprocess|child_process|system\(|[pP]open|spawn|\bexec|runpy|pytest|unittest"
    r"|[wW]rite|['\"][wax]b?['\"]"
)
_PROSE = re.compile(r"(.*/)?([^./]+|[^/]*\.(md|rst|adoc|txt|log|out|jsonl|status))")
_DOCUMENTATION = re.compile(r"(.*/)?((README|CHANGE|HISTORY|NEWS|CONTRIB)[^/]*|docs?/.*)", re.I)
_ASKS_FOR_DOCUMENTATION = re.compile(
    r"\b(docs?|document\w*|readme|change-?log|(release )?notes)\b", re.I
)


def find_hand_written_evidence(comparison: Comparison) -> Iterator[str]:
    """Yield the texts that all checks rest on though there are tests, unless asked for."""
    if not any(classify_file(path) == "test" for path in comparison.old):
        return
    names: set[str] = set()
    for command in comparison.commands:
        for text in _find_read_only_texts(comparison.old, command):
            if text is None:
                return
            names.update(word.removeprefix("./") for word in re.findall(r"[\w./-]+", text))
    changes = comparison.changes
    for path in sorted(names.intersection(changes.edited_or_added)):
        # The comparison of scripts reports records that the baseline has.
        is_prose = _PROSE.fullmatch(path) and classify_file(path) != "script"
        is_evidence = path in changes.added if is_record(path) else is_prose
        if is_evidence and not _is_asked_for(path, comparison.task):
            yield path


def _is_asked_for(path: str, task: str) -> bool:
    is_named = path.rpartition("/")[2] in task
    return is_named or bool(_DOCUMENTATION.fullmatch(path) and _ASKS_FOR_DOCUMENTATION.search(task))


def _find_read_only_texts(tree: Tree, command: str) -> Iterator[str | None]:
    """Yield the scripts of a check; None for one that runs or writes something."""
    scripts = find_run_scripts(tree, command)
    own = frozenset(path for _, path in scripts)
    for line, path in scripts:
        text = line or tree.text(path)
        if "akefile" in path:
            text = "\n".join(re.findall(r"(?m)^\t[@+-]*(.*)", text))
        if line or is_shell_script(path, text):
            only_reads = all(_only_reads(call, own) for call in parse_calls(text))
        else:
            only_reads = not _ACTS.search(text)
        yield text if only_reads else None


def _only_reads(call: list[str], own: frozenset[str]) -> bool:
    """A call of another script of the check only reads: that script is judged by itself."""
    program, script = program_name(call[0]), "".join(call[1:2])
    called = script if _INTERPRETER.fullmatch(program) else call[0]
    is_own = not own.isdisjoint((call[0].removeprefix("./"), called.removeprefix("./")))
    writes = set(find_redirect_targets(call)).difference(_NOWHERE)
    return (program in _READING or is_own) and not writes
