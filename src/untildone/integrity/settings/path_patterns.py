"""The files that a list of paths or patterns in a configuration names.

Tools read such lists differently, so each pattern counts as every form that a tool may take it
for: `tests` is a folder at the top or at any depth, `*.py` also a file in a folder, `tests/.*_old`
a regular expression. A path matches if it matches one of these forms.
"""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from untildone.commands.globs import expand_braces

_MAX_SECONDS_PER_SEARCH = 0.2


def match_patterns(patterns: Iterable[object], paths: Iterable[str], folder: str) -> frozenset[str]:
    """Return the matching paths; patterns are relative to the folder of the configuration."""
    prefix = f"{folder}/" if folder else ""
    relative = [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]
    texts = (pattern for pattern in patterns if isinstance(pattern, str))
    expanded = {plain for pattern in texts for plain in expand_braces(pattern)}
    by_pattern = (path for pattern in expanded for path in relative if _matches(pattern, path))
    found = {*by_pattern, *_match_expressions(expanded, relative)}
    return frozenset(f"{prefix}{path}" for path in found)


def _matches(pattern: str, path: str) -> bool:
    """Say whether the path, or a folder that it is in, matches the shell pattern."""
    # Jest begins paths with `<rootDir>`; `!` only says that the files are left out.
    plain = re.sub(r"^(<rootDir>/?|\./|/|!)", "", pattern.strip().strip("'\""))
    if plain in ("", ".", "*", "**", "**/*", "./"):
        return True
    name_pattern = plain.rstrip("/")
    parts = path.split("/")
    # `a`, `a/b` and `a/b/c.py` for `a/b/c.py`
    leading_paths = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
    return (
        any(fnmatchcase(leading_path, name_pattern) for leading_path in leading_paths)
        or fnmatchcase(path, plain.replace("**/", "*"))
        or fnmatchcase(path, plain.replace("**/", ""))
        or ("/" not in name_pattern and any(fnmatchcase(part, name_pattern) for part in parts))
    )


def _match_expressions(patterns: Iterable[str], paths: list[str]) -> Iterator[str]:
    """Yield the paths that match a pattern as a regular expression, for jest and mypy."""
    # Imported where it is used: the import is slow, and few changes are about such a list.
    import regex  # type: ignore[import-untyped]  # it ships no types

    for pattern in patterns:
        try:
            compiled = regex.compile(pattern)
            for path in paths:
                if any(
                    compiled.search(spelling, timeout=_MAX_SECONDS_PER_SEARCH)
                    for spelling in (path, f"/{path}")
                ):
                    yield path
        except regex.error:
            continue
        except TimeoutError:
            # Another search would take as long.
            return
