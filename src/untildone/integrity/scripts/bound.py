"""What a check's command comes to in the end: the calls that decide, through every script."""

import re
from collections.abc import Iterable, Iterator

from untildone.integrity.scripts import arguments
from untildone.integrity.scripts import make as scripts_make
from untildone.integrity.scripts.followed import inner_scripts, made, makefile
from untildone.integrity.scripts.shell import Call, binding
from untildone.integrity.shell import bare
from untildone.integrity.tree import Tree

_TRIVIAL = frozenset(
    (
        *("cd", "export", "mkdir", "rm", "cp", "mv", "ls", "test", "[", "[[", "source", "pwd"),
        *("touch", "chmod", "unset", "local", "read", "shift", "pip", "pip3", "apt-get", "which"),
        *("command", "type", "curl", "wget", "ln", "tar", "umask", "alias", "clear", "tput", "git"),
    )
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


def bound(tree: Tree, command: str) -> Iterator[Call]:
    """Each with its program's plain name."""
    yield from _Expansion(tree).of(command, conditional=False)


class _Expansion:
    """Every script is looked into once, or once more where it runs under a condition."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.seen: set[tuple[str, bool]] = set()

    def of(self, text: str, *, conditional: bool) -> Iterator[Call]:
        if (text, conditional) in self.seen:
            return
        self.seen.add((text, conditional))
        for call in binding(text):
            condition, plain = (call[:2], call[2:]) if call[0] == "if" else ((), call)
            within = conditional or bool(condition)
            yield from ((*condition, *each) for each in self._call(plain, conditional=within))

    def _call(self, call: Call, *, conditional: bool) -> Iterator[Call]:
        program = bare(call[0]) if call else ""
        texts = [text for text, _ in inner_scripts(self.tree, list(call)) if text] if call else []
        if program in ("make", "gmake"):
            texts = list(_made(self.tree, call[1:]))
        elif not texts and (leaf := _leaf(call)):
            yield leaf
        for text in texts:
            yield from self.of(text, conditional=conditional)


def _made(tree: Tree, words: tuple[str, ...]) -> Iterator[str]:
    file = scripts_make.read(made(tree, makefile(tree, words)))
    goals = [word for word in arguments.read("make", words).targets if "=" not in word]
    for goal in goals or [""]:
        yield from scripts_make.lines(file, goal, tree.entries)


def _leaf(call: Call) -> Call | None:
    steering = tuple(word for word in call if re.match(r"[A-Z_]+=", word))
    words = call[len(steering) :]
    for launcher in _LAUNCHERS:
        if words[: len(launcher)] == launcher:
            words = words[len(launcher) :]
            break
    if len(words) > 2 and re.fullmatch(r"python[\d.]*", bare(words[0])) and words[1] == "-m":
        words = words[2:]
    if not words or bare(words[0]) in _TRIVIAL or _INSTALLS.intersection(words[1:2]):
        return None
    return (bare(words[0]), *steering, *words[1:])


def lost(old: Iterable[Call], new: Iterable[Call]) -> Iterator[tuple[Call, str]]:
    """Calls that no longer decide, and the word that narrows what is left of them."""
    now = list(new)
    for call in dict.fromkeys(old):
        alike = [each for each in now if each[0] == call[0]]
        reasons = [arguments.narrowed(call[0], call[1:], each[1:]) for each in alike]
        if not reasons:
            yield call, ""
        elif all(reasons):
            yield call, min(reasons, key=len)
