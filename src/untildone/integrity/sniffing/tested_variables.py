"""Variables of CI systems that the product may read, because baseline tests set them."""

import re

from untildone.integrity.comparison import Comparison
from untildone.integrity.sniffing.signs import Sign, is_word
from untildone.integrity.tests.inventory import is_collected

# CI systems set these, and programs that print for them read them.
_VARIABLE = re.compile(r"\b(CI|GITHUB_ACTIONS|GITLAB_CI|CONTINUOUS_INTEGRATION)\b")
_SETS = re.compile(
    r"\b(setenv|delenv|Setenv|stubEnv|set_var|patch\.dict|EnvironmentVariables)\b"
    r"|\bprocess\.env\.\w+\s*=(?!=)|\benv\s*[:=]\s*\{|\benviron\[[^\]\n]+\]\s*=(?!=)"
)
_ONLY_READ = re.compile(r"(get|getenv|Getenv|var)\(\s*$|environ\[\s*$")


def is_tested_variable(comparison: Comparison, sign: Sign) -> bool:
    """Say whether baseline tests set every variable that the code reads; reading is not enough."""
    variables = set(_VARIABLE.findall(sign.text))
    if sign.name != "asks" or not variables or _reads_more(sign.text):
        return False
    tests = [
        path for path in comparison.old if comparison.role(path) == "test" and is_collected(path)
    ]
    texts = [text for path in tests if _SETS.search(text := comparison.old.text(path))]
    return all(any(_is_set_in(name, text) for text in texts) for name in variables)


def _reads_more(text: str) -> bool:
    words = re.findall(r"\w+", text)
    return any(is_word("runner-variable", word) or re.match(r"(?i)tests?", word) for word in words)


def _is_set_in(name: str, text: str) -> bool:
    uses = re.finditer(rf"[\"'`]{name}(?==|[\"'`])|\bprocess\.env\.{name}\s*=(?!=)", text)
    return any(not _ONLY_READ.search(text[: use.start()][-40:]) for use in uses)
