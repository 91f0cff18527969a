"""The files that a list of paths or patterns names, read as the tools read it."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

import regex  # type: ignore[import-untyped]  # it ships no types

from untildone.commands.globs import expand_braces

_SECONDS = 0.2


def match_patterns(patterns: Iterable[object], paths: Iterable[str], folder: str) -> frozenset[str]:
    """Return the matching paths; patterns are relative to the folder of the configuration."""
    inside = f"{folder}/" if folder else ""
    below = [path.removeprefix(inside) for path in paths if path.startswith(inside)]
    texts = (pattern for pattern in patterns if isinstance(pattern, str))
    wanted = {expanded for pattern in texts for expanded in expand_braces(pattern)}
    by_pattern = (path for pattern in wanted for path in below if _matches(pattern, path))
    found = {*by_pattern, *_match_expressions(wanted, below)}
    return frozenset(f"{inside}{path}" for path in found)


def _matches(pattern: str, path: str) -> bool:
    plain = re.sub(r"^(<rootDir>/?|\./|/|!)", "", pattern.strip().strip("'\""))
    if plain in ("", ".", "*", "**", "**/*", "./"):
        return True
    name = path.rpartition("/")[2]
    flat = plain.rstrip("/")
    parts = path.split("/")
    prefixes = ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
    return (
        any(fnmatchcase(prefix, flat) for prefix in prefixes)
        or fnmatchcase(path, plain.replace("**/", "*"))
        or fnmatchcase(path, plain.replace("**/", ""))
        or ("/" not in flat and any(fnmatchcase(part, flat) for part in parts))
        or fnmatchcase(name, flat)
    )


def _match_expressions(patterns: Iterable[str], paths: list[str]) -> Iterator[str]:
    """Jest and mypy take regular expressions where other tools take patterns."""
    for pattern in patterns:
        try:
            compiled = regex.compile(pattern)
            for path in paths:
                if any(
                    compiled.search(spelling, timeout=_SECONDS) for spelling in (path, f"/{path}")
                ):
                    yield path
        except regex.error:
            continue
        except TimeoutError:
            # Do not wait for a second one.
            return
