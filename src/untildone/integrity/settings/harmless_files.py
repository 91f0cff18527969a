"""New configuration files that loosen nothing: no tool reads them, or did anything without them.

`tsconfig.build.json` that no check names; the first `eslint.config.js` of a project; a second
workflow of GitHub.
"""

import re
from collections.abc import Iterator

from untildone.commands.ci import is_ci_file
from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.invoked_scripts import find_named_checks
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import Settings, list_configurations, read_settings
from untildone.worktree.roles import classify_file

# Files that are read only where something names them: tsconfig.build.json, jest.config.e2e.js,
# vitest.unit.config.ts, .env.example
_READ_BY_NAME = compile_late(
    r"([jt]sconfig\.[\w.-]+|(jest|vitest?|eslint|playwright|cypress)\.config\.[\w-]+"
    r"|(jest|vitest?|eslint|playwright|cypress)[.-][\w-]+\.config)\.([cm]?[jt]s|json)"
    r"|\.env\.(example|sample|template|dist)"
)
_MANIFEST = compile_late(r"(package|[jt]sconfig)\.json|(Cargo|pyproject)\.toml|go\.mod")
# Tools that do nothing without settings.
_IDLE_WITHOUT_SETTINGS = ("tsconfig", "eslint", "tox", "testenv")
_IMAGE_BUILDER = compile_late(r"docker|podman|buildah")


def is_manifest_of_new_package(comparison: Comparison, path: str) -> bool:
    """Say whether it is `packages/new/package.json` in a folder that the baseline does not have."""
    folder, _, name = path.rpartition("/")
    if not folder or path in comparison.old or not _MANIFEST.fullmatch(name):
        return False
    # A hidden folder such as `.cargo` is no package.
    is_hidden = any(part.startswith(".") for part in folder.split("/"))
    return not is_hidden and not any(other.startswith(f"{folder}/") for other in comparison.old)


def is_harmless_file(comparison: Comparison, path: str) -> bool:
    """Say whether the configuration at `path` changes nothing that a check of the baseline does."""
    if path.rpartition("/")[2] == ".dockerignore":
        # Only the builders of images read it.
        return not any(map(_IMAGE_BUILDER.search, _list_check_words(comparison)))
    if path in comparison.old:
        return False
    return (
        _is_unread(comparison, path)
        or _is_first_of_its_tool(comparison, path)
        or _is_additional_workflow(comparison, path)
    )


def _is_unread(comparison: Comparison, path: str) -> bool:
    """Say whether neither a check nor another configuration names a file that is read by name."""
    name = path.rpartition("/")[2]
    if not _READ_BY_NAME.fullmatch(name) or path in comparison.deciding_files:
        return False
    stem = name.removesuffix(".json")
    # A script in package.json counts only if a check calls it: then it is among the words below.
    others = (
        other
        for other in list_configurations(comparison.new)
        if other != path and classify_file(other) == "config" and "package.json" not in other
    )
    is_named = any(stem in comparison.new.text(other) for other in others)
    return not is_named and not any(stem in word for word in _list_check_words(comparison))


def _list_check_words(comparison: Comparison) -> Iterator[str]:
    """Yield the words of all calls of the checks."""
    for command in dict.fromkeys((*comparison.commands, *find_named_checks(comparison.old))):
        for call in find_deciding_calls(comparison.new, command):
            yield from call


def _is_first_of_its_tool(comparison: Comparison, path: str) -> bool:
    """Say whether the baseline has no settings of the tool, which did nothing without them."""
    tools = _find_sections(read_settings(comparison.new, path))
    if not tools or not tools.issubset(_IDLE_WITHOUT_SETTINGS):
        return False
    old = comparison.old
    old_settings = (read_settings(old, other) for other in list_configurations(old))
    return not any(tools & _find_sections(settings) for settings in old_settings)


def _find_sections(settings: Settings) -> set[str]:
    """Return `testenv` for `testenv:lint.deps`."""
    return {re.split(r"[.:]", key, maxsplit=1)[0] for key in settings}


def _is_additional_workflow(comparison: Comparison, path: str) -> bool:
    """Say whether it is a workflow beside those of the baseline, which run as before."""
    changes = comparison.changes
    changed = (*changes.edited, *changes.removed, *changes.moved)
    return is_ci_file(path) and not any(map(is_ci_file, changed))
