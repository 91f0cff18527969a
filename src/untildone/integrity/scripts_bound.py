"""What a check's command comes to in the end: the calls that decide, through every script."""

import re
from collections.abc import Iterable, Iterator

from untildone.integrity import arguments, scripts_make
from untildone.integrity.scripts_followed import inner_scripts, made, makefile
from untildone.integrity.scripts_shell import Call, binding
from untildone.integrity.shell import bare
from untildone.integrity.tree import Tree

_DEEPEST = 8
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


def bound(tree: Tree, command: str, depth: int = 0) -> Iterator[Call]:
    """Each with its program's plain name."""
    for call in binding(command):
        yield from _expanded(tree, call, depth)


def _expanded(tree: Tree, call: Call, depth: int) -> Iterator[Call]:
    condition, plain = (call[:2], call[2:]) if call[0] == "if" else ((), call)
    if not plain or depth > _DEEPEST:
        return
    program = bare(plain[0])
    if program in ("make", "gmake"):
        inner = _made(tree, plain[1:], depth)
    elif texts := [text for text, _ in inner_scripts(tree, list(plain)) if text]:
        inner = (each for text in texts for each in bound(tree, text, depth + 1))
    else:
        inner = iter([leaf] if (leaf := _leaf(plain)) else [])
    yield from ((*condition, *each) for each in inner)


def _made(tree: Tree, words: tuple[str, ...], depth: int) -> Iterator[Call]:
    path = makefile(tree, words)
    file = scripts_make.read(made(tree, path))
    goals = [word for word in arguments.read("make", words).targets if "=" not in word]
    for goal in goals or [""]:
        for line in scripts_make.lines(file, goal, tree.entries):
            yield from bound(tree, line, depth + 1)


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
    return (bare(words[0]), *steering, *_unredirected(words[1:]))


def _unredirected(words: tuple[str, ...]) -> Iterator[str]:
    skipped = False
    for word in words:
        if re.fullmatch(r"\d?[<>&]+\d?|&>", word):
            skipped = True
        elif skipped:
            skipped = False
        else:
            yield word


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
