"""Which programs of a shell text decide its exit status: the others may fail unseen."""

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from ast_grep_py import SgNode

from untildone.commands.shell import bare, calls
from untildone.syntax.trees import root

Call: TypeAlias = tuple[str, ...]

_BLOCKS = frozenset(("program", "compound_statement", "subshell", "do_group", "else_clause"))
_CHOICES = frozenset(
    ("if_statement", "for_statement", "while_statement", "case_statement", "elif_clause")
)
_STATEMENTS = frozenset(
    (
        *("command", "redirected_statement", "list", "pipeline", "negated_command"),
        *("declaration_command", "function_definition", "test_command", "case_item"),
        *_BLOCKS,
        *_CHOICES,
    )
)
_SHELLS = frozenset(("sh", "bash", "dash", "ksh", "zsh"))
_NEVER_FAILS = frozenset(("true", ":", "echo", "printf", "exit", "return", "sleep", "cat", "date"))
_REFUSES = re.compile(r"\b(exit|return)\s+([1-9]\d*|\$\??\w*|\"\$\w+\")|\bfalse\b|\bexit\s*$")
# tests || failed=1 … exit $failed
_REMEMBERS = re.compile(r"\W*(\w+)=(?:[1-9]\d*|\$\?)\W*")
_ENDS_WITH = re.compile(r"\bexit\s+\"?\$\{?(\w+)")
_SWALLOWING_TRAP = re.compile(r"exit\s+0|exit\s*(?:['\"]\s*)?$|\btrue\b")
# An assignment that steers a tool is part of the call, others are not.
STEERING = re.compile(
    r"(PYTEST_ADDOPTS|PYTEST_PLUGINS|NODE_OPTIONS|GOFLAGS|RUSTFLAGS|MAKEFLAGS|PYTHONPATH|PATH"
    r"|SKIP|SKIP_\w+|\w*_SKIP|ESLINT_\w+|MYPY\w*|COVERAGE_\w+)=.*",
    re.DOTALL,
)

_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_ASSIGNED = re.compile(r"(?<![\w$-])(\w+)\+?=|\b(?:for|read)\s+(?:-r\s+)?(\w+)")
_PLAIN = re.compile(r"(?m)^(\w+)=(?:\"([^\"`()\n]+)\"|([^\s\"'`()]+)|\(([^\"'`$()\n]*)\))$")
# Of the person's environment it is said what holds without it: ${PYTHON:-python3}
_DEFAULT = re.compile(r"\$\{(\w+):?-([^{}]*)\}")
# Functions that call each other twice are soon called more often than anybody could follow.
_MOST_ENTERED = 1000
_ARRAY_WORD = re.compile(r"\$\{(\w+)\[[@*]\]\}")


def binding(text: str, *, errexit: bool = False, given: Sequence[str] = ()) -> tuple[Call, ...]:
    """In the order they stand; none of a text that is nested beyond reading.

    `given` are the arguments of the script.
    """
    shell = re.match(r"#!\S*sh\s+-\w*e", text) is not None
    try:
        reader = _Reader(text, errexit=errexit or shell, given=given)
        return tuple(reader.program(root(text, "bash")))
    except RecursionError:
        return ()


class _Reader:
    def __init__(self, text: str, *, errexit: bool, given: Sequence[str]) -> None:
        self.errexit = errexit
        self.variables = _constants(text)
        self.pipefail = False
        self.swallowed = False
        # What it calls is known when it is called: by then others are there, and its arguments.
        self.functions: dict[str, SgNode] = {}
        self.given = list(given)
        self.entered = 0
        self.ends_with = frozenset(
            name for name in _ENDS_WITH.findall(text) if not _forgotten(name, text)
        )
        # Calls whose failure is kept in a variable until the end.
        self.remembered: list[Call] = []

    def program(self, node: SgNode) -> list[Call]:
        found = self._block(node)
        return [] if self.swallowed else found

    def _block(self, node: SgNode) -> list[Call]:
        found: list[Call] = []
        children = node.children()
        for at, child in enumerate(children):
            if child.kind() not in _STATEMENTS:
                continue
            ended = _exits(child)
            if ended == "0" and not self.errexit:
                return []
            following = children[at + 1].kind() if at + 1 < len(children) else ""
            bound = [] if following == "&" else self._statement(child)
            found = found + bound if self.errexit or _is_setting(child) else bound
            if ended:
                return [*self.remembered, *found] if _VARIABLE.search(ended) else found
        return found

    def _statement(self, node: SgNode) -> list[Call]:
        kind = node.kind()
        if kind in _BLOCKS:
            return self._block(node)
        if kind in _CHOICES:
            return list(self._choice(node))
        match kind:
            case "command":
                return self._command(node)
            case "redirected_statement":
                return [call for each in _inside(node)[:1] for call in self._statement(each)]
            case "list":
                return self._list(node)
            case "pipeline":
                parts = _inside(node)
                last = parts if self.pipefail else parts[-1:]
                return [call for each in last for call in self._statement(each)]
            case "function_definition":
                names = (child.text() for child in node.children() if child.kind() == "word")
                self.functions[next(names, "")] = node
                return []
            case _:
                return []

    def _list(self, node: SgNode) -> list[Call]:
        left, right = (*(child for child in node.children() if child.is_named()), None, None)[:2]
        if left is None or right is None:
            return []
        bound = self._statement(left)
        if any(child.kind() == "&&" for child in node.children()):
            return bound + self._statement(right)
        if _REFUSES.search(right.text()):
            return bound
        kept = _REMEMBERS.fullmatch(right.text())
        if kept and kept[1] in self.ends_with:
            self.remembered += bound
        return self._statement(right)

    def _choice(self, node: SgNode) -> Iterator[Call]:
        """What runs only under a condition is bound together with it."""
        parts = _inside(node)
        words = self._words(node) if node.kind() == "for_statement" else []
        if words and (self.errexit or _REFUSES.search(node.text()) or self._keeps(node)):
            yield from self._each(node, words)
            return
        before = len(self.remembered)
        header = re.split(r";|\n|\bthen\b|\bdo\b", node.text(), maxsplit=1)[0].strip()
        if node.kind() == "if_statement" and _REFUSES.search(node.text()) and parts:
            tested = _inside(parts[0]) if parts[0].kind() == "negated_command" else parts[:1]
            yield from (call for each in tested for call in self._statement(each))
        for part in parts:
            yield from (("if", header, *call) for call in self._statement(part))
        self.remembered[before:] = [("if", header, *call) for call in self.remembered[before:]]

    def _keeps(self, node: SgNode) -> bool:
        return any(f"{name}=" in node.text() for name in self.ends_with)

    def _words(self, node: SgNode) -> list[str]:
        """What a loop goes through, if that is written there; a pattern stands for its files."""
        header = re.match(r"for\s+\w+\s+in\s+([^;\n]*)", node.text())
        filled = self._filled(header[1]) if header else "$"
        return [] if re.search(r"[$`]", filled) else shlex.split(re.sub(r"['\"]", "", filled))

    def _each(self, node: SgNode, words: Sequence[str]) -> Iterator[Call]:
        name = next(child.text() for child in node.children() if child.kind() == "variable_name")
        for word in words:
            self.variables[name] = word
            yield from (call for part in _inside(node) for call in self._statement(part))
        self.variables.pop(name, None)

    def _command(self, node: SgNode) -> list[Call]:
        text = node.text()
        call = [word for each in next(iter(calls(text)), []) for word in self._words_of(each)]
        if not call:
            return []
        program, arguments = bare(call[0]), call[1:]
        if program == "set":
            self._set(arguments)
            return []
        if program == "trap":
            caught = {"EXIT", "0", "ERR"}.intersection(arguments[1:])
            self.swallowed |= bool(caught and _SWALLOWING_TRAP.search(arguments[0]))
            return []
        if program == "shift":
            del self.given[:1]
            return []
        if program in self.functions:
            return self._function(program, arguments)
        if program in _SHELLS and (inner := _given(arguments)):
            return list(binding(inner, errexit="e" in arguments[0]))
        if program in _NEVER_FAILS:
            return []
        return [(*_steering(text), *call)]

    def _function(self, name: str, arguments: list[str]) -> list[Call]:
        self.entered += 1
        if self.entered > _MOST_ENTERED:
            raise RecursionError
        outer, self.given = self.given, arguments
        body = _inside(self.functions[name])
        found = [call for each in body for call in self._statement(each)]
        self.given = outer
        return found

    def _words_of(self, word: str) -> list[str]:
        """`"$@"` and an array are as many as they hold."""
        if word in ("$@", "$*"):
            return self.given
        array = _ARRAY_WORD.fullmatch(word)
        if array and array[1] in self.variables:
            return self.variables[array[1]].split()
        return [self._filled(word)]

    def _filled(self, word: str) -> str:
        plain = _DEFAULT.sub(lambda found: self._held(found[1], found[2]), word)
        return _VARIABLE.sub(lambda found: self._held(found[1], found[0]), plain)

    def _held(self, name: str, otherwise: str) -> str:
        given = {str(number): word for number, word in enumerate(self.given, 1)}
        return (given | self.variables).get(name, otherwise)

    def _set(self, arguments: Sequence[str]) -> None:
        words = " ".join(arguments)
        if re.search(r"(^|\s)-\w*e|-o errexit", words):
            self.errexit = True
        if re.search(r"(^|\s)\+\w*e|\+o errexit", words):
            self.errexit = False
        if "pipefail" in words:
            self.pipefail = "+o pipefail" not in words


def _forgotten(name: str, text: str) -> bool:
    """Set back once it says that something failed, or each time a loop goes round."""
    said = re.search(rf"\b{name}=(?:[1-9]|\$\?)", text)
    back = [found.start() for found in re.finditer(rf"\b{name}=(?!\$\?|[1-9])", text)]
    looped = (
        len(re.findall(r"\bdo\b", text[:at])) > len(re.findall(r"\bdone\b", text[:at]))
        for at in back
    )
    return said is None or any(at > said.start() for at in back) or any(looped)


def _constants(text: str) -> dict[str, str]:
    """Variables that are set once, to plain text."""
    every = [found[1] for found in _ASSIGNED.finditer(text)]
    plain = {found[1]: found[2] or found[3] or found[4] or "" for found in _PLAIN.finditer(text)}
    once = {name: held for name, held in plain.items() if every.count(name) == 1}
    return {name: _DEFAULT.sub(r"\2", held) for name, held in once.items()}


def _inside(node: SgNode) -> list[SgNode]:
    return [child for child in node.children() if child.kind() in _STATEMENTS]


def _is_setting(node: SgNode) -> bool:
    """Says nothing about the status of what came before."""
    return node.kind() == "function_definition" or bool(re.match(r"(set|trap)\s", node.text()))


def _exits(node: SgNode) -> str:
    found = (
        re.fullmatch(r"(?:exit|return)\s*(\S*)", node.text()) if node.kind() == "command" else None
    )
    return (found[1] or "$?") if found else ""


def _given(arguments: Sequence[str]) -> str:
    """The text of `sh -c TEXT`."""
    for option, text in pairwise(arguments):
        if re.fullmatch(r"-\w*c", option):
            return text
    return ""


def _steering(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError:
        return []
    return [word for word in words if STEERING.fullmatch(word)]
