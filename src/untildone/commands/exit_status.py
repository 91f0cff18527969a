"""The calls of a shell text that decide its exit status; the others may fail unnoticed.

ruff check .        # unnoticed, unless `set -e` stands above
mypy . || true      # unnoticed
pytest              # decides: the last command gives the status
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import TypeAlias

from ast_grep_py import SgNode

from untildone.commands.shell import SHELLS, parse_calls, program_name
from untildone.core.late_patterns import compile_late
from untildone.syntax.parsing import parse_source
from untildone.words import words

# A program and its arguments.
Call: TypeAlias = tuple[str, ...]

# Kinds of nodes in the grammar of bash.
_BLOCKS = words("program compound_statement subshell do_group else_clause")
_CONDITIONALS = words("if_statement for_statement while_statement case_statement elif_clause")
_STATEMENTS = words("""
    command redirected_statement list pipeline negated_command declaration_command
    function_definition test_command case_item
""").union(_BLOCKS, _CONDITIONALS)
_NEVER_FAILS = words("true : echo printf exit return sleep cat date")
# exit 1, return $?, false
_ENDS_WITH_FAILURE = compile_late(
    r"\b(exit|return)\s+([1-9]\d*|\$\??\w*|\"\$\w+\")|\bfalse\b|\bexit\s*$"
)
# tests || failed=1 … exit $failed
_REMEMBERS_FAILURE = compile_late(r"\W*(\w+)=(?:[1-9]\d*|\$\?)\W*")
_EXITS_WITH_VARIABLE = compile_late(r"\bexit\s+\"?\$\{?(\w+)")
# trap 'exit 0' EXIT
_HIDES_FAILURE = compile_late(r"exit\s+0|exit\s*(?:['\"]\s*)?$|\btrue\b")
# An assignment that changes what a tool does is part of its call; others are not.
STEERING_ASSIGNMENT = compile_late(
    r"(PYTEST_ADDOPTS|PYTEST_PLUGINS|NODE_OPTIONS|GOFLAGS|RUSTFLAGS|MAKEFLAGS|PYTHONPATH|PATH"
    r"|SKIP|SKIP_\w+|\w*_SKIP|ESLINT_\w+|MYPY\w*|COVERAGE_\w+)=.*",
    re.DOTALL,
)

_VARIABLE = compile_late(r"\$\{?(\w+)\}?")
# a=1, a+=1, for a in, read -r a
_ASSIGNMENT = compile_late(r"(?<![\w$-])(\w+)\+?=|\b(?:for|read)\s+(?:-r\s+)?(\w+)")
# a=src, a="src tests", a=(src tests)
_PLAIN_ASSIGNMENT = compile_late(
    r"(?m)^(\w+)=(?:\"([^\"`()\n]+)\"|([^\s\"'`()]+)|\(([^\"'`$()\n]*)\))$"
)
# ${PYTHON:-python3} stands for its default: the user's environment is not known.
_VARIABLE_WITH_DEFAULT = compile_late(r"\$\{(\w+):?-([^{}]*)\}")
# Functions that call each other twice grow exponentially.
_MAX_FUNCTION_CALLS = 1000
# ${files[@]}
_ARRAY_WORD = compile_late(r"\$\{(\w+)\[[@*]\]\}")


def find_status_deciding_calls(
    text: str, *, errexit: bool = False, arguments: Sequence[str] = ()
) -> tuple[Call, ...]:
    """Return the deciding calls in their order; none of a text that is nested too deeply.

    `arguments` are those of the script. A call under a condition begins with `if` and the
    condition.
    """
    # #!/bin/sh -eu
    starts_with_errexit = re.match(r"#!\S*sh\s+-\w*e", text) is not None
    try:
        reader = _Reader(text, errexit=errexit or starts_with_errexit, arguments=arguments)
        found = reader.read_block(parse_source(text, "bash"))
        return () if reader.is_failure_trapped else tuple(found)
    except RecursionError:
        return ()


class _Reader:
    """Walks a shell text as the shell would, with its options, functions and variables."""

    def __init__(self, text: str, *, errexit: bool, arguments: Sequence[str]) -> None:
        self.errexit = errexit
        self.pipefail = False
        # A trap ends the script with success, whatever failed.
        self.is_failure_trapped = False
        self.variables = _find_constants(text)
        # A function's body is read at each call: only then its arguments are known.
        self.functions: dict[str, SgNode] = {}
        self.arguments = list(arguments)
        self.function_calls = 0
        self.status_variables = frozenset(
            name for name in _EXITS_WITH_VARIABLE.findall(text) if not _is_reset(name, text)
        )
        # Calls whose failure is kept in a variable until the end.
        self.remembered_calls: list[Call] = []

    def read_block(self, node: SgNode) -> list[Call]:
        """Return the calls that decide the status of the statements, run one after another."""
        found: list[Call] = []
        children = node.children()
        for child, following in zip_longest(children, children[1:]):
            if child.kind() not in _STATEMENTS:
                continue
            status = _find_exit_status(child)
            if status == "0" and not self.errexit:
                return []
            # pytest &
            is_background = following is not None and following.kind() == "&"
            deciding = [] if is_background else self._read_statement(child)
            found = found + deciding if self.errexit or _keeps_status(child) else deciding
            if status:
                return [*self.remembered_calls, *found] if _VARIABLE.search(status) else found
        return found

    def _read_statement(self, node: SgNode) -> list[Call]:
        """Return the calls that decide the status of one statement."""
        kind = node.kind()
        if kind in _BLOCKS:
            return self.read_block(node)
        if kind in _CONDITIONALS:
            return list(self._read_conditional(node))
        match kind:
            case "command":
                return self._read_command(node)
            case "redirected_statement":
                return self._read_statements(_find_statements(node)[:1])
            case "list":
                return self._read_list(node)
            case "pipeline":
                parts = _find_statements(node)
                return self._read_statements(parts if self.pipefail else parts[-1:])
            case "function_definition":
                names = (child.text() for child in node.children() if child.kind() == "word")
                self.functions[next(names, "")] = node
                return []
            case _:
                return []

    def _read_statements(self, nodes: Sequence[SgNode]) -> list[Call]:
        return [call for node in nodes for call in self._read_statement(node)]

    def _read_list(self, node: SgNode) -> list[Call]:
        """Return the deciding calls of `left && right` and of `left || right`."""
        left, right = (*(child for child in node.children() if child.is_named()), None, None)[:2]
        if left is None or right is None:
            return []
        found = self._read_statement(left)
        if any(child.kind() == "&&" for child in node.children()):
            return found + self._read_statement(right)
        if _ENDS_WITH_FAILURE.search(right.text()):
            return found
        remembers = _REMEMBERS_FAILURE.fullmatch(right.text())
        if remembers and remembers[1] in self.status_variables:
            self.remembered_calls += found
        return self._read_statement(right)

    def _read_conditional(self, node: SgNode) -> Iterator[Call]:
        """Yield the calls of `if`, `for`, `while` and `case`, each with its condition in front."""
        parts = _find_statements(node)
        loop_words = self._find_loop_words(node) if node.kind() == "for_statement" else []
        sets_status = any(f"{name}=" in node.text() for name in self.status_variables)
        if loop_words and (self.errexit or _ENDS_WITH_FAILURE.search(node.text()) or sets_status):
            yield from self._read_loop(node, loop_words)
            return
        remembered_before, self.remembered_calls = self.remembered_calls, []
        header = re.split(r";|\n|\bthen\b|\bdo\b", node.text(), maxsplit=1)[0].strip()
        if node.kind() == "if_statement" and _ENDS_WITH_FAILURE.search(node.text()) and parts:
            # if ! pytest; then exit 1; fi
            is_negated = parts[0].kind() == "negated_command"
            tested = _find_statements(parts[0]) if is_negated else parts[:1]
            yield from self._read_statements(tested)
        for part in parts:
            yield from (("if", header, *call) for call in self._read_statement(part))
        remembered = [("if", header, *call) for call in self.remembered_calls]
        self.remembered_calls = remembered_before + remembered

    def _find_loop_words(self, node: SgNode) -> list[str]:
        """Return the words of `for x in a b`; none if they are only known when the loop runs."""
        header = re.match(r"for\s+\w+\s+in\s+([^;\n]*)", node.text())
        text = self._expand_variables(header[1]) if header else "$"
        return [] if re.search(r"[$`]", text) else shlex.split(re.sub(r"['\"]", "", text))

    def _read_loop(self, node: SgNode, loop_words: Sequence[str]) -> Iterator[Call]:
        """Yield the calls of a `for` loop for each of its words."""
        name = next(child.text() for child in node.children() if child.kind() == "variable_name")
        for word in loop_words:
            self.variables[name] = word
            yield from self._read_statements(_find_statements(node))
        self.variables.pop(name, None)

    def _read_command(self, node: SgNode) -> list[Call]:
        """Return the call, or the calls of the function or inner shell that it runs."""
        text = node.text()
        unexpanded = next(iter(parse_calls(text)), [])
        call = [value for word in unexpanded for value in self._expand_word(word)]
        if not call:
            return []
        program, arguments = program_name(call[0]), call[1:]
        if program in ("set", "trap", "shift"):
            self._apply_builtin(program, arguments)
            return []
        if program in self.functions:
            return self._read_function(program, arguments)
        # sh -ec TEXT
        texts = (text for option, text in pairwise(arguments) if re.fullmatch(r"-\w*c", option))
        if program in SHELLS and (inner := next(texts, "")):
            return list(find_status_deciding_calls(inner, errexit="e" in arguments[0]))
        if program in _NEVER_FAILS:
            return []
        return [(*_find_steering_assignments(text), *call)]

    def _apply_builtin(self, program: str, arguments: list[str]) -> None:
        """Keep what `set`, `trap` and `shift` change."""
        options = " ".join(arguments)
        if program == "shift":
            del self.arguments[:1]
        elif program == "trap":
            signals = {"EXIT", "0", "ERR"}.intersection(arguments[1:])
            self.is_failure_trapped |= bool(signals and _HIDES_FAILURE.search(arguments[0]))
        elif "pipefail" in options:
            self.pipefail = "+o pipefail" not in options
        if program == "set" and re.search(r"(^|\s)-\w*e|-o errexit", options):
            self.errexit = True
        if program == "set" and re.search(r"(^|\s)\+\w*e|\+o errexit", options):
            self.errexit = False

    def _read_function(self, name: str, arguments: list[str]) -> list[Call]:
        """Return the deciding calls of a function that gets these arguments."""
        self.function_calls += 1
        if self.function_calls > _MAX_FUNCTION_CALLS:
            raise RecursionError
        outer_arguments, self.arguments = self.arguments, arguments
        found = self._read_statements(_find_statements(self.functions[name]))
        self.arguments = outer_arguments
        return found

    def _expand_word(self, word: str) -> list[str]:
        """Return the values of a word: `"$@"` and an array may have several."""
        if word in ("$@", "$*"):
            return self.arguments
        array = _ARRAY_WORD.fullmatch(word)
        if array and array[1] in self.variables:
            return self.variables[array[1]].split()
        return [self._expand_variables(word)]

    def _expand_variables(self, word: str) -> str:
        """Replace the variables in a word whose value is known."""
        plain = _VARIABLE_WITH_DEFAULT.sub(lambda found: self._get_value(found[1], found[2]), word)
        return _VARIABLE.sub(lambda found: self._get_value(found[1], found[0]), plain)

    def _get_value(self, name: str, default: str) -> str:
        """Return the value of a variable or of an argument such as `$1`."""
        positional = {str(number): word for number, word in enumerate(self.arguments, 1)}
        return (positional | self.variables).get(name, default)


def _is_reset(name: str, text: str) -> bool:
    """Say whether the variable loses a failure: it is set again later or in a loop."""
    failed = re.search(rf"\b{name}=(?:[1-9]|\$\?)", text)
    resets = [found.start() for found in re.finditer(rf"\b{name}=(?!\$\?|[1-9])", text)]
    in_loop = (
        len(re.findall(r"\bdo\b", text[:start])) > len(re.findall(r"\bdone\b", text[:start]))
        for start in resets
    )
    return failed is None or any(start > failed.start() for start in resets) or any(in_loop)


def _find_constants(text: str) -> dict[str, str]:
    """Return the variables that are set once, to plain text."""
    assignments = Counter(found[1] or found[2] for found in _ASSIGNMENT.finditer(text))
    plain = {
        found[1]: found[2] or found[3] or found[4] or ""
        for found in _PLAIN_ASSIGNMENT.finditer(text)
    }
    return {
        name: _VARIABLE_WITH_DEFAULT.sub(r"\2", value)
        for name, value in plain.items()
        if assignments[name] == 1
    }


def _find_statements(node: SgNode) -> list[SgNode]:
    return [child for child in node.children() if child.kind() in _STATEMENTS]


def _keeps_status(node: SgNode) -> bool:
    """Say whether the statement leaves the status of what came before it."""
    return node.kind() == "function_definition" or bool(re.match(r"(set|trap)\s", node.text()))


def _find_exit_status(node: SgNode) -> str:
    """Return the status that `exit` or `return` ends with; empty for another statement."""
    is_command = node.kind() == "command"
    found = re.fullmatch(r"(?:exit|return)\s*(\S*)", node.text()) if is_command else None
    return (found[1] or "$?") if found else ""


def _find_steering_assignments(text: str) -> list[str]:
    """Return the assignments in front of a call that change what its tool does."""
    try:
        parts = shlex.split(text)
    except ValueError:
        return []
    return [part for part in parts if STEERING_ASSIGNMENT.fullmatch(part)]
