"""Texts that every check rests on, although the agent can write them without doing the work.

With the only check `grep -q "all tests pass" STATUS.md` an agent can write the sentence instead of
passing the tests.
"""

import re
from collections.abc import Iterator

from untildone.commands import invoked_scripts
from untildone.commands.makefiles import is_makefile
from untildone.commands.programs import PACKAGE_MANAGERS
from untildone.commands.shell import SHELLS, find_redirect_targets, parse_calls, program_name
from untildone.commands.written_files import is_writing_awk
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.scripts.deciding_files import is_deciding_data, list_path_words
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# Shells and make run other scripts, which are judged by themselves.
_READERS = SHELLS | words("""
    grep egrep fgrep rg cat head tail wc sed awk cut tr jq yq diff cmp test [ [[ true false :
    echo printf set cd exit for case esac fi done make
""")
# sed -i s/a/b/ FILE, yq -i .a=1 FILE, awk -i inplace PROGRAM FILE
_IN_PLACE_EDITORS = frozenset(("sed", "yq", "awk"))
_IN_PLACE_OPTION = compile_late(r"-[nErsz]*i.*|--in-?place.*")
_HARMLESS_REDIRECT_TARGETS = ("/dev/null", "/dev/stderr", "1", "2")
_INTERPRETER = compile_late(r"python[\d.]*|node")
# npm install
_INSTALLING = words("install i ci add")
# Signs that a script in Python or JavaScript starts a program or writes a file.
_RUNS_OR_WRITES = compile_late(
    r"subprocess|child_process|system\(|[pP]open|spawn|\bexec|runpy|pytest|unittest"
    r"|[wW]rite|['\"][wax]b?['\"]"
)
# The shell lines of a makefile: "\t@-grep -q done STATUS"
_RECIPE_LINE = compile_late(r"(?m)^\t[@+-]*(.*)")
# STATUS, notes.md, run.log
_FREE_TEXT = compile_late(r"(.*/)?([^./]+|[^/]*\.(md|rst|adoc|txt|log|out|jsonl|status))")
_DOCUMENTATION = compile_late(r"(.*/)?((README|CHANGE|HISTORY|NEWS|CONTRIB)[^/]*|docs?/.*)", re.I)
_ASKS_FOR_DOCUMENTATION = compile_late(
    r"\b(docs?|document\w*|readme|change-?log|(release )?notes)\b", re.I
)


def find_hand_written_evidence(comparison: Comparison) -> Iterator[str]:
    """Yield the paths of changed texts that the checks read, if the checks do nothing but read.

    A project without tests has nothing better to check, and what the task asks for has to be
    written: neither is reported.
    """
    if not any(classify_file(path) == "test" for path in comparison.old):
        return
    scripts = [
        script for command in comparison.commands for script in _list_scripts(comparison, command)
    ]
    if not all(only_reads for _, only_reads in scripts):
        return
    names = {word for text, _ in scripts for word in list_path_words(text)}
    for path in sorted(names.intersection(comparison.changes.edited_or_added)):
        if _is_written_by_hand(comparison, path) and not _is_asked_for(path, comparison.task):
            yield path


def _is_written_by_hand(comparison: Comparison, path: str) -> bool:
    """Say whether a changed file is a free text, or new data such as `report.json`."""
    if is_deciding_data(path):
        # `scripts/comparison.py` reports the changes of data that the baseline has.
        return path in comparison.changes.added
    return _FREE_TEXT.fullmatch(path) is not None and classify_file(path) != "script"


def _is_asked_for(path: str, task: str) -> bool:
    """Say whether the task names the file, or asks for documentation and the file is some."""
    is_named = path.rpartition("/")[2] in task
    is_documentation = _DOCUMENTATION.fullmatch(path) is not None
    return is_named or (is_documentation and _ASKS_FOR_DOCUMENTATION.search(task) is not None)


def _list_scripts(comparison: Comparison, command: str) -> Iterator[tuple[str, bool]]:
    """Yield the texts of the command and of its scripts, each with whether it only reads."""
    tree = comparison.old
    scripts = invoked_scripts.find_run_scripts(tree, command)
    paths = frozenset(path for _, path in scripts)
    for shell_text, path in scripts:
        # The text is empty for a script in another language.
        text = shell_text or tree.text(path)
        if is_makefile(path):
            text = "\n".join(_RECIPE_LINE.findall(text))
        if shell_text or invoked_scripts.is_shell_script(path, text):
            only_reads = all(_only_reads(tree, call, paths) for call in parse_calls(text))
        else:
            only_reads = not _RUNS_OR_WRITES.search(text)
        yield text, only_reads


def _only_reads(tree: Tree, call: list[str], scripts: frozenset[str]) -> bool:
    """Say whether a call runs no tool and writes nothing.

    A call of one of the check's `scripts` only reads: that script is judged by itself.
    """
    program = program_name(call[0])
    first_argument = call[1] if len(call) > 1 else ""
    if set(find_redirect_targets(call)).difference(_HARMLESS_REDIRECT_TARGETS):
        return False
    if program in _IN_PLACE_EDITORS and any(map(_IN_PLACE_OPTION.fullmatch, call[1:])):
        return False
    if program == "awk" and is_writing_awk(call[1:]):
        return False
    if program in PACKAGE_MANAGERS:
        # `npm test` runs a script of `package.json`; `yarn jest` and `bun test` run a tool.
        return first_argument in _INSTALLING or any(invoked_scripts.find_called_scripts(tree, call))
    if _INTERPRETER.fullmatch(program) and first_argument.removeprefix("./") in scripts:
        return True
    return program in _READERS or call[0].removeprefix("./") in scripts
