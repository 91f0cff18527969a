"""From a check's command to the scripts it runs and the records they read."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from untildone.commands.shell import bare, calls
from untildone.integrity.roles import named_in, role
from untildone.integrity.scripts.targets import holds_tests, matching
from untildone.worktree.contents import Tree

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_SEVERAL = frozenset(("run-s", "run-p", "npm-run-all", "npm-run-all2", "concurrently"))
_MANAGERS = frozenset(("npm", "pnpm", "yarn", "bun"))
_INTERPRETERS = re.compile(r"python[\d.]*|pypy3?|node|bun|deno|ruby|perl|php|tsx|ts-node")
_SHELLS = frozenset(("sh", "bash", "dash", "ksh", "zsh", "source", "."))
# A program of the project may be what is checked; these are what checks.
_JUDGING_NAME = re.compile(
    r"(^|[-_./])(check|gate|verif|lint|tests?|ci|hook|validat|assert|run)", re.I
)
_JUDGING_FOLDERS = frozenset(("ci", "scripts", "script", "tools", "hack", "bin", "build"))
# Of these the others may also hold what is shipped.
_CHECKING_FOLDERS = _JUDGING_FOLDERS - {"bin", "build"}
_RECORD_SUFFIXES = (".json", ".xml", ".yaml", ".yml", ".toml", ".ini", ".txt", ".csv", ".sarif")
_RECORD_NAME = re.compile(
    r"report|result|coverage|baseline|state|status|goal|loop|junit|threshold|budget|limit"
    r"|allow|ignore|expected|golden|snapshot|(^|/)\.",
    re.IGNORECASE,
)
_LONGEST = 100_000
_WORDS = re.compile(r"[\w./@+-]+")


def led_to(tree: Tree, commands: Iterable[str]) -> frozenset[str]:
    """Files that a command runs, and records that it or they read."""
    found: set[str] = set()
    for command in commands:
        found.update(_records(tree, command, ""))
        named = named_in(command, tree)
        for _, path in followed(tree, command):
            if is_readable_test(path, tree):
                continue
            # A script that another one calls may be what is checked.
            judging = path in named or _judges(path) or not is_shell(path, tree.text(path))
            if path and path not in found and judging:
                found.add(path)
                found.update(_records(tree, tree.text(path), path))
    return frozenset(found)


def followed(tree: Tree, command: str) -> Iterator[tuple[str, str]]:
    """Shell text that comes to be run, and the file it stands in: empty for the command itself."""
    waiting = [(command, "")]
    seen = set(waiting)
    for text, path in waiting:
        yield text, path
        every = _run_by([_gone_through(call, text) for call in calls(text[:_LONGEST])])
        inner = (each for call in every for each in inner_scripts(tree, call, path))
        judging = (each for each in dict.fromkeys(inner) if not is_subject(tree, each[1], path))
        fresh = [each for each in judging if each not in seen]
        seen.update(fresh)
        waiting += fresh


def _run_by(every: list[list[str]]) -> list[list[str]]:
    """Without what is told once more as the argument of a shell that only reads it."""
    read = Counter(word for call in every if _only_reads(call) for word in call[1:])
    found = []
    for call in every:
        if read[call[0]] > 0:
            read[call[0]] -= 1
        else:
            found.append(call)
    return found


def is_readable_test(path: str, tree: Tree) -> bool:
    """A file of tests that is compared test by test, though a command names it."""
    return role(path) == "test" and holds_tests(path, tree.text(path))


def is_subject(tree: Tree, path: str, caller: str) -> bool:
    """What a test runs that is neither a test nor checks by its name is what it tests.

    So is a program whose output a script compares with what is expected of it.
    """
    *folders, name = path.split("/")
    checks = _JUDGING_NAME.search(name) or _CHECKING_FOLDERS.intersection(folders)
    if not caller or role(path) != "product" or checks:
        return False
    return role(caller) == "test" or _is_compared(path, tree.text(caller))


def _is_compared(path: str, text: str) -> bool:
    """`bin/stats data.csv > out.txt` and `diff expected.txt out.txt`, or `bin/stats | cmp - out`"""
    for found in re.finditer(rf"{re.escape(path)}\b([^\n;&|]*)(\|\s*(diff|cmp)\b)?", text):
        target = re.search(r">\s*([^\s&]+)", found[1])
        if found[2] or (target and re.search(rf"\b(diff|cmp)\b.*{re.escape(target[1])}", text)):
            return True
    return False


def _gone_through(call: list[str], text: str) -> list[str]:
    """`sh "$each"` in a loop: the words that the loop goes through."""
    words: list[str] = []
    for word in call:
        name = re.fullmatch(r"\$\{?(\w+)\}?", word)
        loop = re.search(rf"\bfor\s+{name[1]}\s+in\s+([^;\n$`]+)", text) if name else None
        words += loop[1].split() if loop else [word]
    return words


def inner_scripts(tree: Tree, call: list[str], caller: str = "") -> Iterator[tuple[str, str]]:
    """Shell text that one call of `caller` runs, and where it stands."""
    program, arguments = bare(call[0]), call[1:]
    if program == "make" or program == "gmake":
        if path := makefile(tree, arguments):
            yield made(tree, path), path
    elif program in _MANAGERS:
        yield from _packaged(tree, arguments)
    elif program in _SEVERAL:
        yield from _several(tree, arguments)
    elif program == "git" and "hook" in arguments:
        name = next((each for each in reversed(arguments) if not each.startswith("-")), "")
        yield from _hooks(tree, name)
    else:
        yield from _run(tree, call, caller)


def _run(tree: Tree, call: list[str], caller: str) -> Iterator[tuple[str, str]]:
    program = bare(call[0])
    if _only_reads(call):
        return
    interpreted = _INTERPRETERS.fullmatch(program)
    words = call[1:] if interpreted or program in _SHELLS else call[:1]
    named = [each for each in words if not each.startswith("-")]
    if program not in _SHELLS or "*" not in "".join(named[:1]):
        named = named[:1]
    for path in (path for each in named for path in _places(tree, each, caller)):
        yield from _script(tree, program, path)


def _only_reads(call: list[str]) -> bool:
    """`sh -n FILE` looks whether it could be run."""
    return bare(call[0]) in _SHELLS and "-n" in call


def _places(tree: Tree, word: str, caller: str) -> list[str]:
    """Also of a pattern, and of `$here/lint.sh`: beside the one who says it, else from the top."""
    if "*" in word:
        return matching(word, tree)
    last = re.sub(r"^(\./|\$\([^()]*\)/|\$\{?\w+\}?/)", "", word)
    beside = (PurePosixPath(caller).parent / last).as_posix()
    usual = [last] if word == last or word.startswith("./") else [beside, last]
    return next(([path] for path in usual if path in tree), [])


def _script(tree: Tree, program: str, path: str) -> Iterator[tuple[str, str]]:
    text = tree.text(path)
    if program in _SHELLS or is_shell(path, text):
        yield text, path
    elif _judges(path) and role(path) != "document":
        # What another language runs is not followed: the file itself is compared.
        yield "", path


def is_shell(path: str, text: str) -> bool:
    first = text.partition("\n")[0]
    return path.endswith((".sh", ".bash")) or bool(re.match(r"#!.*\b(ba|da|k|z)?sh\b", first))


def _judges(path: str) -> bool:
    *folders, name = path.split("/")
    hidden = any(part.startswith(".") for part in folders)
    return hidden or bool(_JUDGING_FOLDERS.intersection(folders) or _JUDGING_NAME.search(name))


def makefile(tree: Tree, arguments: Iterable[str] = ()) -> str:
    """The file that make reads: the first of its names, unless it is told another."""
    words = list(arguments)
    folder = _option(words, "-C")
    named = _option(words, "-f")
    names = (named,) if named else _MAKEFILES
    paths = ((PurePosixPath(folder) / name).as_posix() for name in names)
    return next((path for path in paths if path in tree), "")


def _option(words: list[str], option: str) -> str:
    for at, word in enumerate(words):
        if word == option and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(option) and word != option:
            return word.removeprefix(option)
    return ""


def made(tree: Tree, path: str) -> str:
    """A makefile with what it includes."""
    text = tree.text(path)
    included = re.findall(r"(?m)^[-s]?include[ \t]+(\S+)", text)
    places = ((PurePosixPath(path).parent / name).as_posix() for name in included)
    return "\n".join((text, *(tree.text(place) for place in places if place != path)))


def _packaged(tree: Tree, arguments: list[str]) -> Iterator[tuple[str, str]]:
    """`npm test`, `npm run lint`, `pnpm lint`: the script, and what runs before and after it."""
    folder = _option(arguments, "--prefix") or _option(arguments, "-C")
    words = [each for each in arguments if not each.startswith("-") and each not in ("run", folder)]
    path = (PurePosixPath(folder) / "package.json").as_posix()
    scripts = package_scripts(tree.text(path))
    name = {"t": "test", "tst": "test"}.get(words[0], words[0]) if words else ""
    for each in (f"pre{name}", name, f"post{name}"):
        if each in scripts:
            yield scripts[each], path


def _several(tree: Tree, arguments: list[str]) -> Iterator[tuple[str, str]]:
    """`run-s lint test:*`, `concurrently npm:lint "tsc -w"`"""
    if any(re.match(r"--(race|success)\b|-s$", each) for each in arguments):
        # One of them is enough then.
        return
    scripts = package_scripts(tree.text("package.json"))
    for word in (each for each in arguments if not each.startswith("-")):
        plain = word.removeprefix("npm:")
        names = [name for name in scripts if fnmatchcase(name, plain)]
        yield from ((scripts[name], "package.json") for name in names)
        if not names and " " in word:
            yield word, "package.json"


def package_scripts(text: str) -> dict[str, str]:
    try:
        scripts = json.loads(text).get("scripts", {})
        return {name: command for name, command in scripts.items() if isinstance(command, str)}
    except (ValueError, AttributeError, RecursionError):
        return {}


def _hooks(tree: Tree, name: str) -> Iterator[tuple[str, str]]:
    for path in tree:
        if path.rpartition("/")[2] == name and is_shell(path, tree.text(path)):
            yield tree.text(path), path


def _records(tree: Tree, text: str, beside: str) -> Iterator[str]:
    """Reports, states and baselines that are named; data of the product is not meant."""
    folder = PurePosixPath(beside).parent
    for word in set(_WORDS.findall(text)):
        for path in (word.removeprefix("./"), (folder / word).as_posix()):
            if path in tree and path != beside and is_record(path):
                yield path


def is_record(path: str) -> bool:
    return path.endswith(_RECORD_SUFFIXES) and bool(_RECORD_NAME.search(path))
