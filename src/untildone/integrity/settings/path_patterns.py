"""Which files a list of paths or patterns takes in, as the tools would read it."""

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

import regex  # type: ignore[import-untyped]  # it ships no types

_SECONDS = 0.2
_BRACES = re.compile(r"\{([^{}]*)\}")


def match_patterns(patterns: Iterable[object], paths: Iterable[str], folder: str) -> frozenset[str]:
    """Patterns are of the folder that holds the configuration."""
    inside = f"{folder}/" if folder else ""
    below = [path.removeprefix(inside) for path in paths if path.startswith(inside)]
    wanted = {each for pattern in patterns if isinstance(pattern, str) for each in _braced(pattern)}
    by_pattern = (path for each in wanted for path in below if _matches(each, path))
    found = {*by_pattern, *_by_expressions(wanted, below)}
    return frozenset(f"{inside}{path}" for path in found)


def _braced(pattern: str) -> list[str]:
    found = _BRACES.search(pattern)
    if not found:
        return [pattern]
    before, after = pattern[: found.start()], pattern[found.end() :]
    return [each for part in found[1].split(",") for each in _braced(f"{before}{part}{after}")]


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


def _by_expressions(patterns: Iterable[str], paths: Iterable[str]) -> Iterator[str]:
    """jest and mypy take regular expressions where others take patterns."""
    known = list(paths)
    for pattern in patterns:
        try:
            compiled = regex.compile(pattern)
            for path in known:
                if any(compiled.search(each, timeout=_SECONDS) for each in (path, f"/{path}")):
                    yield path
        except regex.error:
            continue
        except TimeoutError:
            # One that takes for ever is enough to wait for.
            return
