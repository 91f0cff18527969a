"""Which tools and rules the checks run: a suppression of any other silences nothing.

`# noqa` silences nothing where the checks only run pytest, nor `eslint-disable no-console` where
the settings of ESLint do not name `no-console`.
"""

import re
from collections.abc import Iterable, Iterator

from untildone.core.late_patterns import compile_late
from untildone.integrity.checked_tools import runs_tool
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.eslint import uses_presets
from untildone.integrity.settings.parsing import Settings, list_configurations, read_settings
from untildone.integrity.suppressions.comment_markers import find_readers
from untildone.syntax.languages import language_of
from untildone.words import words
from untildone.worktree.contents import Tree

# By language: the marker whose readers also read code that silences them, as a cast does. The
# compilers of other languages read it whenever tests run.
_MARKER_LIKE_CODE = {
    "python": "type: ignore",
    **dict.fromkeys(("javascript", "typescript", "tsx"), "ts-ignore"),
}
# Lints fail no build of Rust unless something says so.
_DENIES_LINTS = r"clippy|(^|\s)-D|--deny|RUSTFLAGS"
_DENYING_FILE = compile_late(r"\b(deny|forbid)\b|\[(workspace\.)?lints\b")
# Lints of clippy that are off until they or their group are named.
_OFF_BY_DEFAULT = words("""
    unwrap_used expect_used panic indexing_slicing dbg_macro print_stdout print_stderr todo
    unimplemented unreachable arithmetic_side_effects missing_docs_in_private_items float_arithmetic
    integer_division use_debug as_conversions string_slice unwrap_in_result exit get_unwrap
""")
# Files that can name a lint of clippy.
_MAY_NAME_LINTS = compile_late(r".*\.(rs|toml|sh|ya?ml|mk|json)|(.*/)?([Mm]akefile|[Jj]ustfile)")


def is_read(comparison: Comparison, path: str, reach: str) -> bool:
    """Say whether a check runs a tool that reads such suppressions in the file.

    `reach` is that of a comment with its marker, as `line noqa`, or `code`.
    """
    language = language_of(path)
    if reach != "code":
        return runs_tool(comparison, find_readers(reach.partition(" ")[2]))
    if language == "rust":
        return runs_tool(comparison, _DENIES_LINTS) or comparison.old.fact(_denies_lints, "")
    marker = _MARKER_LIKE_CODE.get(language)
    return marker is None or runs_tool(comparison, find_readers(marker))


def select_read(comparison: Comparison, paths: Iterable[str]) -> Iterator[str]:
    """Yield the files whose casts and annotations a check's type checker or compiler reads."""
    return (path for path in paths if is_read(comparison, path, "code"))


def _denies_lints(tree: Tree, _path: str) -> bool:
    paths = (path for path in tree if path.endswith((".rs", ".toml")))
    return any(_DENYING_FILE.search(tree.text(path)) for path in paths)


def is_inactive(comparison: Comparison, reach: str, rule: str) -> bool:
    """Say whether the rule that a suppression names is certainly off.

    `reach` is that of a comment with its marker, as `line eslint-disable`, or `code`.
    """
    if rule.startswith("clippy::"):
        return _is_unnamed_lint(comparison, rule.removeprefix("clippy::"))
    # `eslint-disable` without a rule silences all rules.
    names_rule = reach.endswith("eslint-disable") and rule != "eslint-disable"
    return names_rule and _is_unset_rule(comparison, rule)


def _is_unnamed_lint(comparison: Comparison, lint: str) -> bool:
    """Say whether the lint of clippy is off by default and nothing in the baseline names it."""
    if lint not in _OFF_BY_DEFAULT:
        return False
    lint_or_group = re.compile(rf"\b({re.escape(lint)}|restriction)\b|clippy::all\b")
    paths = (path for path in comparison.old if _MAY_NAME_LINTS.fullmatch(path))
    texts = (*comparison.commands, *map(comparison.old.text, paths))
    return not any(map(lint_or_group.search, texts))


def _is_unset_rule(comparison: Comparison, rule: str) -> bool:
    """Say whether no settings of ESLint name the rule; False where some cannot be seen."""
    eslint_settings = list(_read_eslint_settings(comparison))
    if not eslint_settings or any("--rule" in command for command in comparison.commands):
        return False
    keys = {key for settings in eslint_settings for key in settings}
    if any(map(uses_presets, eslint_settings)) or any(key.endswith(".rules") for key in keys):
        # `rules: preset.rules`: the preset is not in the settings file.
        return False
    # Files that the settings import may name it.
    is_imported = any(rule in comparison.old.text(path) for path in comparison.settings_files)
    return not is_imported and not any(key.endswith(f"rules.{rule}") for key in keys)


def _read_eslint_settings(comparison: Comparison) -> Iterator[Settings]:
    for path in list_configurations(comparison.old):
        found = read_settings(comparison.old, path)
        if any(key.partition(".")[0] == "eslint" for key in found):
            yield found
