"""What a check's command comes to in the end: the calls that decide, through every script."""

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from untildone.integrity.roles import role
from untildone.integrity.scripts import arguments
from untildone.integrity.scripts import make as scripts_make
from untildone.integrity.scripts.followed import inner_scripts, is_subject, made, makefile
from untildone.integrity.scripts.shell import STEERING, Call, binding
from untildone.integrity.scripts.targets import runs_tests, taken_in
from untildone.integrity.shell import bare
from untildone.integrity.tree import Tree

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
# They count or set variables, and run what follows their own words.
_AROUND = frozenset(("c8", "nyc", "cross-env", "cross-env-shell", "dotenv", "env-cmd", "dotenvx"))

# The start's, and now's.
Trees: TypeAlias = tuple[Tree, Tree]


def bound(tree: Tree, command: str) -> Iterator[Call]:
    """Each with its program's plain name."""
    yield from _Expansion(tree).of(command, caller="", conditional=False)


class _Expansion:
    """Every script is looked into once, or once more where it runs under a condition."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.seen: set[tuple[str, bool]] = set()

    def of(self, text: str, *, caller: str, conditional: bool) -> Iterator[Call]:
        if (text, conditional) in self.seen:
            return
        self.seen.add((text, conditional))
        for call in binding(text):
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
            if not is_subject(path, caller):
                yield from self.of(text, caller=path, conditional=conditional)


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
    if len(words) > 2 and re.fullmatch(r"python[\d.]*", bare(words[0])) and words[1] == "-m":
        words = words[2:]
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
