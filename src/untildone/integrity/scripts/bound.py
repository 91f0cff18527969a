"""What a check's command comes to in the end: the calls that decide, through every script."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from untildone.commands.exit_status import STEERING, Call, binding
from untildone.commands.shell import bare
from untildone.integrity.roles import role
from untildone.integrity.scripts import arguments
from untildone.integrity.scripts import make as scripts_make
from untildone.integrity.scripts.followed import inner_scripts, is_subject, made, makefile
from untildone.integrity.scripts.targets import runs_tests, taken_in
from untildone.worktree.contents import Tree

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
# In front of a tool, without a say in what it does.
_LAUNCHERS = (
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("npx",),
    ("bunx",),
    ("pnpm", "exec"),
    ("npm", "exec"),
    ("yarn", "exec"),
    ("bundle", "exec"),
    ("coverage", "run", "-m"),
)
# node --experimental-vm-modules node_modules/jest/bin/jest.js
_INSTALLED = re.compile(
    r"\S+ (--(experimental-[\w-]+|no-warnings|enable-source-maps|max-old-space-size=\d+) )*"
    r"(\./)?node_modules/(\.bin|[\w-]+(/bin)?)/(?P<tool>jest|vitest|mocha|eslint|tsc)(\.[cm]?js)?(?=\s|$)"
)
# python -W error -m
_PYTHON_MODULE = re.compile(r"\S+ (-[uB] |-W ?error |-X ?\S+ )*-m (?=\S)")
# They count or set variables, and run what follows their own words.
_AROUND = frozenset(("c8", "nyc", "cross-env", "cross-env-shell", "dotenv", "env-cmd", "dotenvx"))

# A script that calls itself with ever more words comes to no end.
_MOST_WAYS = 10

# The start's, and now's.
Trees: TypeAlias = tuple[Tree, Tree]


def bound(tree: Tree, command: str) -> Iterator[Call]:
    """Each with its program's plain name."""
    yield from _Expansion(tree).of(command, caller="", conditional=False)


class _Expansion:
    """Every script is looked into once for each way it is run, as far as that makes sense."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.seen: dict[str, set[tuple[bool, Call]]] = {}

    def of(self, text: str, *, caller: str, conditional: bool, given: Call = ()) -> Iterator[Call]:
        ways = self.seen.setdefault(text, set())
        if (conditional, given) in ways or len(ways) > _MOST_WAYS:
            return
        ways.add((conditional, given))
        for call in binding(text, given=given):
            condition, plain = (call[:2], call[2:]) if call[0] == "if" else ((), call)
            within = conditional or bool(condition)
            found = self._call(plain, caller=caller, conditional=within)
            yield from ((*condition, *each) for each in found)

    def _call(self, call: Call, *, caller: str, conditional: bool) -> Iterator[Call]:
        program = bare(call[0]) if call else ""
        inner = (
            [each for each in inner_scripts(self.tree, list(call), caller) if each[0]]
            if call
            else []
        )
        if program in ("make", "gmake"):
            inner = [(text, "") for text in _made(self.tree, call[1:])]
        elif not inner and (leaf := _leaf(call)) and _counts(leaf, caller):
            yield leaf
        for text, path in inner:
            if role(path) == "test":
                yield ("sh", path)
            if not is_subject(self.tree, path, caller):
                given = _arguments(call, path)
                yield from self.of(text, caller=path, conditional=conditional, given=given)


def _arguments(call: Call, path: str) -> Call:
    """What stands behind the script in its call."""
    ends = (at for at, word in enumerate(call, 1) if path and word.endswith(path))
    return call[next(ends, len(call)) :]


def _counts(leaf: Call, caller: str) -> bool:
    """What a test is made of is the test's own; it may also be the one that runs the tools."""
    return role(caller) != "test" or _TOOLS.fullmatch(leaf[0]) is not None


def _made(tree: Tree, words: tuple[str, ...]) -> Iterator[str]:
    file = scripts_make.read(made(tree, makefile(tree, words)))
    goals = [word for word in arguments.read("make", words).targets if "=" not in word]
    for goal in goals or [""]:
        yield from scripts_make.lines(file, goal, tree.entries)


def _leaf(call: Call) -> Call | None:
    steering = tuple(word for word in call if STEERING.fullmatch(word))
    words = _inside(tuple(word for word in call if not re.match(r"[A-Z_]+=", word)))
    for launcher in _LAUNCHERS:
        if words[: len(launcher)] == launcher:
            words = words[len(launcher) :]
            break
    if (module := _PYTHON_MODULE.match(" ".join(words))) and re.match("python", bare(words[0])):
        words = words[len(module[0].split()) :]
    if not words or bare(words[0]) in _TRIVIAL or _INSTALLS.intersection(words[1:2]):
        return None
    return (bare(words[0]), *steering, *words[1:])


def _inside(words: Call) -> Call:
    """The tool that another one runs."""
    program = bare(words[0]) if words else ""
    if program in _AROUND:
        return _after_options(words)
    if program == "tsx" and "--test" in words:
        return ("node", *words[1:])
    if program == "node" and (installed := _INSTALLED.match(" ".join(words))):
        return (installed["tool"], *words[len(installed[0].split()) :])
    if program == "gotestsum" and not any(word.startswith("--rerun") for word in words):
        at = words.index("--") + 1 if "--" in words else len(words)
        named = tuple(word.partition("=")[2] for word in words if word.startswith("--packages="))
        return ("go", "test", *(words[at:] or named or ("./...",)))
    return words


def _after_options(words: Call) -> Call:
    """From the first tool on, if only options and their values stand before it."""
    for at, word in enumerate(words[1:], 1):
        if _TOOLS.fullmatch(bare(word)):
            return words[at:]
        before = words[at - 1]
        if not word.startswith("-") and (not before.startswith("-") or "=" in before):
            break
    return words


def lost(old: Iterable[Call], new: Iterable[Call], trees: Trees) -> Iterator[tuple[Call, str]]:
    """Calls that no longer decide, and the word that narrows what is left of them."""
    now = list(new)
    for call in dict.fromkeys(old):
        alike = [each for each in now if each[0] == call[0]]
        reasons = [arguments.narrowed(call[0], call[1:], each[1:]) for each in alike]
        if not reasons:
            yield call, ""
        elif all(reasons) and not _together(call, alike, trees):
            yield call, min(reasons, key=len)


def _together(call: Call, alike: list[Call], trees: Trees) -> bool:
    """Whether what is left takes in the same files, one call or several of them."""
    program, (before, after) = call[0], trees
    old = arguments.read(program, call[1:])
    read = [arguments.read(program, each[1:]) for each in alike]
    kept = [each for each in read if not arguments.loosened(program, old, each)]
    tests = runs_tests(program, dict(old.options))

    def files(targets: tuple[str, ...], tree: Tree) -> frozenset[str]:
        return taken_in(program, targets, tree, tests=tests)

    if not kept or not all(files((each,), before) | files((each,), after) for each in old.targets):
        return False
    whole = any(not each.targets for each in kept)
    targets = () if whole else tuple(target for each in kept for target in each.targets)
    known = files(old.targets, after)
    if not known and files(old.targets, before):
        # They went elsewhere: there they have to be looked at.
        known = files((), after).difference(before)
    return bool(known) and known <= files(targets, after)
