"""The calls that decide whether a check passes, found through every script that it runs.

`npm test` with the script `"test": "sh ci.sh"`, where `ci.sh` says `set -e; npx eslint .; jest`,
gives `("eslint", ".")` and `("jest",)`.
"""

import re
from collections.abc import Iterator

from untildone.commands.exit_status import STEERING_ASSIGNMENT, Call, find_status_deciding_calls
from untildone.commands.invoked_scripts import Script, find_called_scripts, is_program_under_test
from untildone.commands.makefiles import find_make_lines
from untildone.commands.programs import strip_launcher
from untildone.commands.shell import program_name
from untildone.core.late_patterns import compile_late
from untildone.words import words
from untildone.worktree.contents import Tree
from untildone.worktree.roles import classify_file

# Programs that check nothing.
_NO_CHECKS = words("""
    cd export mkdir rm cp mv ls test [ [[ source pwd touch chmod unset local read shift pip pip3
    apt-get which command type curl wget ln tar umask alias clear tput git
""")
_KNOWN_TOOL = compile_late(
    r"pytest|unittest|tox|nox|ruff|mypy|pyright|flake8|pylint|python[\d.]*|node|np[mx]|pnpm|yarn|bunx?|deno"
    r"|jest|vitest|mocha|eslint|tsc|biome|prettier|go|cargo|make|mvnw?|gradlew?|ctest|bats|shellcheck|rspec"
    r"|phpunit|dotnet|swift|bazel|prove|sh"
)
# npm install, uv sync, go get
_INSTALLING = words("install ci i add get sync fetch download")
# node --experimental-vm-modules node_modules/jest/bin/jest.js
_INSTALLED_TOOL = compile_late(
    r"\S+ (--(experimental-[\w-]+|no-warnings|enable-source-maps|max-old-space-size=\d+) )*"
    r"(\./)?node_modules/(\.bin|[\w-]+(/bin)?)/(?P<tool>jest|vitest|mocha|eslint|tsc)(\.[cm]?js)?(?=\s|$)"
)
# python -W error -m
_PYTHON_MODULE = compile_late(r"\S+ (-[uB] |-W ?error |-X ?\S+ )*-m (?=\S)")
# They measure coverage or set variables, and run the tool behind their own options: c8 -r text jest
_TOOL_RUNNERS = words("c8 nyc cross-env cross-env-shell dotenv env-cmd dotenvx")
# A script that calls itself with ever more arguments is not followed for ever.
_MAX_VARIANTS = 10
_MAKE = ("make", "gmake")


def find_deciding_calls(tree: Tree, command: str) -> tuple[Call, ...]:
    """Return the calls of tools that can fail the command, without launchers and folders.

    A call that runs only under a condition begins with `if` and the condition.
    """
    return tree.fact(_expand_command, command)


def _expand_command(tree: Tree, command: str) -> tuple[Call, ...]:
    return tuple(_Expansion(tree).expand(command, caller="", is_conditional=False))


class _Expansion:
    """Replaces calls of scripts by the calls in them; follows each script once per way it runs."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        # By shell text: whether it runs under a condition, and its arguments.
        self.variants: dict[str, set[tuple[bool, Call]]] = {}

    def expand(
        self, text: str, *, caller: str, is_conditional: bool, arguments: Call = ()
    ) -> Iterator[Call]:
        """Yield the deciding calls of a shell text, which stands in the file `caller`."""
        variants = self.variants.setdefault(text, set())
        if (is_conditional, arguments) in variants or len(variants) > _MAX_VARIANTS:
            return
        variants.add((is_conditional, arguments))
        for call in find_status_deciding_calls(text, arguments=arguments):
            condition, plain = (call[:2], call[2:]) if call[0] == "if" else ((), call)
            found = self._expand_call(
                plain, caller=caller, is_conditional=is_conditional or bool(condition)
            )
            yield from ((*condition, *tool_call) for tool_call in found)

    def _expand_call(self, call: Call, *, caller: str, is_conditional: bool) -> Iterator[Call]:
        """Yield the deciding calls of the scripts that a call runs, or the call itself."""
        scripts = self._find_scripts(call, caller)
        is_make = bool(call) and program_name(call[0]) in _MAKE
        tool_call = None if scripts or is_make else _find_tool_call(call)
        # In a script that is a test, only calls of known tools count: the rest is the test itself.
        if tool_call and (classify_file(caller) != "test" or _KNOWN_TOOL.fullmatch(tool_call[0])):
            yield tool_call
        for text, path in scripts:
            if classify_file(path) == "test":
                yield ("sh", path)
            if not is_program_under_test(self.tree, path, caller):
                # `sh ci/lint.sh --fix`: what follows the script's own name
                ends = (end for end, word in enumerate(call, 1) if path and word.endswith(path))
                arguments = call[next(ends, len(call)) :]
                yield from self.expand(
                    text, caller=path, is_conditional=is_conditional, arguments=arguments
                )

    def _find_scripts(self, call: Call, caller: str) -> list[Script]:
        """Return the shell texts that a call runs: of make, only the lines of the called goals."""
        if call and program_name(call[0]) in _MAKE:
            return [Script(line, "") for line in find_make_lines(self.tree, call[1:])]
        found = find_called_scripts(self.tree, call, caller) if call else ()
        return [script for script in found if script.text]


def _find_tool_call(call: Call) -> Call | None:
    """Return the tool behind launchers with its arguments; None if the call checks nothing."""
    assignments = tuple(word for word in call if STEERING_ASSIGNMENT.fullmatch(word))
    plain = tuple(word for word in call if not re.match(r"[A-Z_]+=", word))
    tool_call = strip_launcher(_replace_tool_runner(plain))
    module = _PYTHON_MODULE.match(" ".join(tool_call))
    if module and program_name(tool_call[0]).startswith("python"):
        tool_call = tool_call[len(module[0].split()) :]
    program = program_name(tool_call[0]) if tool_call else ""
    if not program or program in _NO_CHECKS or _INSTALLING.intersection(tool_call[1:2]):
        return None
    return (program, *assignments, *tool_call[1:])


def _replace_tool_runner(call: Call) -> Call:
    """Return the call of the tool that another program runs: of jest for `node …/jest.js`."""
    program = program_name(call[0]) if call else ""
    if program in _TOOL_RUNNERS:
        return _skip_options(call)
    if program == "tsx" and "--test" in call:
        return ("node", *call[1:])
    if program == "node" and (installed := _INSTALLED_TOOL.match(" ".join(call))):
        return (installed["tool"], *call[len(installed[0].split()) :])
    if program == "gotestsum" and not any(word.startswith("--rerun") for word in call):
        # gotestsum --packages=./api -- -race
        end = call.index("--") + 1 if "--" in call else len(call)
        packages = tuple(word.partition("=")[2] for word in call if word.startswith("--packages="))
        return ("go", "test", *(call[end:] or packages or ("./...",)))
    return call


def _skip_options(call: Call) -> Call:
    """Return the words from the first tool on, if only options and their values stand before it."""
    for start, word in enumerate(call[1:], 1):
        if _KNOWN_TOOL.fullmatch(program_name(word)):
            return call[start:]
        before = call[start - 1]
        is_value_of_option = before.startswith("-") and "=" not in before
        if not word.startswith("-") and not is_value_of_option:
            break
    return call
