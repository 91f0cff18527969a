"""The calls that decide whether a check passes, found through every script that it runs."""

import re
from collections.abc import Iterator

from untildone.commands.exit_status import STEERING_ASSIGNMENT, Call, find_status_deciding_calls
from untildone.commands.invoked_scripts import Script, find_called_scripts, is_program_under_test
from untildone.commands.makefiles import find_make_lines
from untildone.commands.programs import strip_launcher
from untildone.commands.shell import program_name
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

_TRIVIAL = frozenset(
    (
        *("cd", "export", "mkdir", "rm", "cp", "mv", "ls", "test", "[", "[[", "source", "pwd"),
        *("touch", "chmod", "unset", "local", "read", "shift", "pip", "pip3", "apt-get", "which"),
        *("command", "type", "curl", "wget", "ln", "tar", "umask", "alias", "clear", "tput", "git"),
    )
)
_TOOLS = re.compile(
    r"pytest|unittest|tox|nox|ruff|mypy|pyright|flake8|pylint|python[\d.]*|node|np[mx]|pnpm|yarn|bunx?|deno"
    r"|jest|vitest|mocha|eslint|tsc|biome|prettier|go|cargo|make|mvnw?|gradlew?|ctest|bats|shellcheck|rspec"
    r"|phpunit|dotnet|swift|bazel|prove|sh"
)
_INSTALLS = frozenset(("install", "ci", "i", "add", "sync", "fetch", "download"))
# node --experimental-vm-modules node_modules/jest/bin/jest.js
_INSTALLED_TOOL = re.compile(
    r"\S+ (--(experimental-[\w-]+|no-warnings|enable-source-maps|max-old-space-size=\d+) )*"
    r"(\./)?node_modules/(\.bin|[\w-]+(/bin)?)/(?P<tool>jest|vitest|mocha|eslint|tsc)(\.[cm]?js)?(?=\s|$)"
)
# python -W error -m
_PYTHON_MODULE = re.compile(r"\S+ (-[uB] |-W ?error |-X ?\S+ )*-m (?=\S)")
# They measure coverage or set variables, and run the tool that follows their own options.
_TOOL_RUNNERS = frozenset(
    ("c8", "nyc", "cross-env", "cross-env-shell", "dotenv", "env-cmd", "dotenvx")
)
# A script that calls itself with ever more arguments would never end.
_MAX_VARIANTS = 10


def find_deciding_calls(tree: Tree, command: str) -> tuple[Call, ...]:
    """Return the calls of tools that can fail the command, each with its program's plain name."""
    return tree.fact(_expand_command, command)


def _expand_command(tree: Tree, command: str) -> tuple[Call, ...]:
    return tuple(_Expansion(tree).expand(command, caller="", conditional=False))


class _Expansion:
    """Follows every script once for each way it is run."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.seen: dict[str, set[tuple[bool, Call]]] = {}

    def expand(
        self, text: str, *, caller: str, conditional: bool, arguments: Call = ()
    ) -> Iterator[Call]:
        variants = self.seen.setdefault(text, set())
        if (conditional, arguments) in variants or len(variants) > _MAX_VARIANTS:
            return
        variants.add((conditional, arguments))
        for call in find_status_deciding_calls(text, arguments=arguments):
            condition, plain = (call[:2], call[2:]) if call[0] == "if" else ((), call)
            inside = conditional or bool(condition)
            found = self._expand_call(plain, caller=caller, conditional=inside)
            yield from ((*condition, *tool) for tool in found)

    def _expand_call(self, call: Call, *, caller: str, conditional: bool) -> Iterator[Call]:
        scripts = self._find_scripts(call, caller)
        is_make = bool(call) and program_name(call[0]) in ("make", "gmake")
        tool = None if scripts or is_make else _find_tool(call)
        # In a script that is a test, only calls of known tools count: the rest is the test itself.
        if tool and (classify_file(caller) != "test" or _TOOLS.fullmatch(tool[0])):
            yield tool
        for text, path in scripts:
            if classify_file(path) == "test":
                yield ("sh", path)
            if not is_program_under_test(self.tree, path, caller):
                ends = (at for at, word in enumerate(call, 1) if path and word.endswith(path))
                arguments = call[next(ends, len(call)) :]
                yield from self.expand(
                    text, caller=path, conditional=conditional, arguments=arguments
                )

    def _find_scripts(self, call: Call, caller: str) -> list[Script]:
        if call and program_name(call[0]) in ("make", "gmake"):
            return [(line, "") for line in find_make_lines(self.tree, call[1:])]
        found = find_called_scripts(self.tree, call, caller) if call else ()
        return [(text, path) for text, path in found if text]


def _find_tool(call: Call) -> Call | None:
    """Return the tool behind launchers with its arguments; None if the call decides nothing."""
    steering = tuple(word for word in call if STEERING_ASSIGNMENT.fullmatch(word))
    plain = tuple(word for word in call if not re.match(r"[A-Z_]+=", word))
    words = strip_launcher(_find_inner_tool(plain))
    if (module := _PYTHON_MODULE.match(" ".join(words))) and re.match(
        "python", program_name(words[0])
    ):
        words = words[len(module[0].split()) :]
    if not words or program_name(words[0]) in _TRIVIAL or _INSTALLS.intersection(words[1:2]):
        return None
    return (program_name(words[0]), *steering, *words[1:])


def _find_inner_tool(words: Call) -> Call:
    """Return the tool that another one runs, such as jest by node."""
    program = program_name(words[0]) if words else ""
    if program in _TOOL_RUNNERS:
        return _skip_options(words)
    if program == "tsx" and "--test" in words:
        return ("node", *words[1:])
    if program == "node" and (installed := _INSTALLED_TOOL.match(" ".join(words))):
        return (installed["tool"], *words[len(installed[0].split()) :])
    if program == "gotestsum" and not any(word.startswith("--rerun") for word in words):
        at = words.index("--") + 1 if "--" in words else len(words)
        packages = tuple(word.partition("=")[2] for word in words if word.startswith("--packages="))
        return ("go", "test", *(words[at:] or packages or ("./...",)))
    return words


def _skip_options(words: Call) -> Call:
    """Return the words from the first tool on, if only options and their values stand before it."""
    for at, word in enumerate(words[1:], 1):
        if _TOOLS.fullmatch(program_name(word)):
            return words[at:]
        before = words[at - 1]
        if not word.startswith("-") and (not before.startswith("-") or "=" in before):
            break
    return words
