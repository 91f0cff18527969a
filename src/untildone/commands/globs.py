"""Shell patterns over paths: `src/**/*.{js,ts}`."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from untildone.core.late_patterns import compile_late

_MAX_EXPANSIONS = 100
_BRACES = compile_late(r"\{([^{}]*)\}")
# What a special part of a pattern is as a regular expression.
_EXPRESSIONS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def expand_braces(pattern: str) -> list[str]:
    """Return `a.js` and `a.ts` for `a.{js,ts}`, and not more than a hundred patterns."""
    return list(islice(_expand(pattern), _MAX_EXPANSIONS))


def _expand(pattern: str) -> Iterator[str]:
    braces = _BRACES.search(pattern)
    if not braces:
        yield pattern
        return
    for choice in braces[1].split(","):
        yield from _expand(f"{pattern[: braces.start()]}{choice}{pattern[braces.end() :]}")


def match_glob(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that the pattern matches as a whole."""
    expressions = compile_glob(pattern.removeprefix("./"))
    return [path for path in paths if any(expression.fullmatch(path) for expression in expressions)]


@lru_cache(maxsize=512)
def compile_glob(pattern: str) -> tuple[re.Pattern[str], ...]:
    """Compile a pattern as a shell reads it: `*` stays within its folder."""
    return tuple(map(_compile, expand_braces(pattern)))


def _compile(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return re.compile("".join(_EXPRESSIONS.get(part) or re.escape(part) for part in parts))
