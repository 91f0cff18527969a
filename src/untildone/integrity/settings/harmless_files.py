"""New configuration files that take nothing away, since no tool reads them or did without."""

import re
from collections.abc import Iterator

from untildone.commands.ci import is_ci_file
from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.named_checks import find_named_checks
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import Settings, is_configuration, parse_settings
from untildone.worktree.roles import classify_file

# tsconfig.build.json, jest.config.e2e.js, vitest.unit.config.ts, .env.example: somebody has to
# name them.
_BY_NAME = re.compile(
    r"([jt]sconfig\.[\w.-]+|(jest|vitest?|eslint|playwright|cypress)\.config\.[\w-]+"
    r"|(jest|vitest?|eslint|playwright|cypress)[.-][\w-]+\.config)\.([cm]?[jt]s|json)"
    r"|\.env\.(example|sample|template|dist)"
)
# packages/new/package.json
_MANIFEST = re.compile(r"(package|[jt]sconfig)\.json|(Cargo|pyproject)\.toml|go\.mod")
# They do nothing at all as long as they are told nothing.
_IDLE = ("tsconfig", "eslint", "tox", "testenv")
_OF_IMAGES = re.compile(r"docker|podman|buildah")


def is_new_member(compared: Comparison, path: str) -> bool:
    """The manifest of a folder that was not there at the start: it speaks of nothing older."""
    folder, _, name = path.rpartition("/")
    if not folder or path in compared.old or not _MANIFEST.fullmatch(name):
        return False
    hidden = any(part.startswith(".") for part in folder.split("/"))
    return not hidden and not any(each.startswith(f"{folder}/") for each in compared.old)


def is_harmless_file(compared: Comparison, path: str) -> bool:
    if path.rpartition("/")[2] == ".dockerignore":
        return not any(_OF_IMAGES.search(word) for word in _words(compared))
    if path in compared.old:
        return False
    return (
        _unread(compared, path)
        or _first_of_its_tool(compared, path)
        or _runs_beside(compared, path)
    )


def _unread(compared: Comparison, path: str) -> bool:
    """A check that was there at the start does not come to name it, and no other file does."""
    name = path.rpartition("/")[2]
    if not _BY_NAME.fullmatch(name) or path in compared.judging:
        return False
    stem = name.removesuffix(".json")
    others = (each for each in compared.new if classify_file(each) == "config" and each != path)
    settings = (each for each in others if is_configuration(each) and "package.json" not in each)
    if any(stem in compared.new.text(each) for each in settings):
        return False
    return not any(stem in word for word in _words(compared))


def _words(compared: Comparison) -> Iterator[str]:
    """Of all that the checks come to."""
    commands = dict.fromkeys((*compared.commands, *find_named_checks(compared.old)))
    calls = (call for command in commands for call in find_deciding_calls(compared.new, command))
    yield from (word for call in calls for word in call)


def _first_of_its_tool(compared: Comparison, path: str) -> bool:
    tools = _tools(parse_settings(path, compared.new.text(path)))
    if not tools or not tools.issubset(_IDLE):
        return False
    settings = (
        parse_settings(each, compared.old.text(each)) for each in compared.old if _is_settings(each)
    )
    return not any(tools & _tools(each) for each in settings)


def _tools(settings: Settings) -> set[str]:
    """`testenv` of `testenv:lint.deps`"""
    return {re.split(r"[.:]", key, maxsplit=1)[0] for key in settings}


def _runs_beside(compared: Comparison, path: str) -> bool:
    """A workflow beside those of the start, which run as they did."""
    changes = compared.changes
    gone = (*changes.edited, *changes.removed, *changes.moved)
    return is_ci_file(path) and not any(map(is_ci_file, gone))


def _is_settings(path: str) -> bool:
    return is_configuration(path) and "ignore" not in path
