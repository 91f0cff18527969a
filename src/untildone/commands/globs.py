"""Shell patterns over paths: `src/**/*.{js,ts}`."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

_MAX_EXPANSIONS = 100
_BRACES = re.compile(r"\{([^{}]*)\}")
_SIGNS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def expand_braces(pattern: str) -> list[str]:
    """Return `a.js` and `a.ts` for `a.{js,ts}`."""
    return list(islice(_expand(pattern), _MAX_EXPANSIONS))


def _expand(pattern: str) -> Iterator[str]:
    found = _BRACES.search(pattern)
    if not found:
        yield pattern
        return
    for part in found[1].split(","):
        yield from _expand(f"{pattern[: found.start()]}{part}{pattern[found.end() :]}")


def match_glob(pattern: str, paths: Iterable[str]) -> list[str]:
    expressions = compile_glob(pattern.removeprefix("./"))
    return [path for path in paths if any(expression.fullmatch(path) for expression in expressions)]


@lru_cache(maxsize=512)
def compile_glob(pattern: str) -> tuple[re.Pattern[str], ...]:
    """Compile a pattern as a shell reads it: `*` stays within its folder."""
    return tuple(re.compile(_translate(part)) for part in expand_braces(pattern))


def _translate(pattern: str) -> str:
    words = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    return "".join(_SIGNS.get(word) or re.escape(word) for word in words)
