"""Product code that has to know where it runs, since the start's own tests try it both ways."""

import re

from untildone.integrity.comparison import Comparison
from untildone.integrity.sniffing.signs import ASKS, RUNNER_VARIABLE, Sign
from untildone.integrity.tests.inventory import collected

# Set by those who build programs, and asked for by whoever prints for them.
_VARIABLE = re.compile(r"\b(CI|GITHUB_ACTIONS|GITLAB_CI|CONTINUOUS_INTEGRATION)\b")
_SETS = re.compile(
    r"\b(setenv|delenv|Setenv|stubEnv|set_var|patch\.dict|EnvironmentVariables)\b"
    r"|\bprocess\.env\.\w+\s*=(?!=)|\benv\s*[:=]\s*\{|\benviron\[[^\]\n]+\]\s*=(?!=)"
)
_ONLY_READ = re.compile(r"(get|getenv|Getenv|var)\(\s*$|environ\[\s*$")


def is_tested_variable(comparison: Comparison, sign: Sign) -> bool:
    """Of a variable that is only read, or set once for all tests, the same cannot be said."""
    asked = set(_VARIABLE.findall(sign.text))
    if sign.because != ASKS or not asked or _asks_more(sign.text):
        return False
    tests = [path for path in comparison.old if comparison.role(path) == "test" and collected(path)]
    texts = [text for path in tests if _SETS.search(text := comparison.old.text(path))]
    return all(any(_tried(name, text) for text in texts) for name in asked)


def _asks_more(text: str) -> bool:
    words = re.findall(r"\w+", text)
    return any(RUNNER_VARIABLE.fullmatch(word) or re.match(r"(?i)tests?", word) for word in words)


def _tried(name: str, text: str) -> bool:
    named = re.finditer(rf"[\"'`]{name}(?==|[\"'`])|\bprocess\.env\.{name}\s*=(?!=)", text)
    return any(not _ONLY_READ.search(text[: each.start()][-40:]) for each in named)
