"""Variables of CI systems that the product may read, because baseline tests set them.

`os.getenv("CI")` in the product is no sign if a test has `monkeypatch.setenv("CI", "1")`.
"""

import re

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.sniffing.signs import Sign, is_word
from untildone.integrity.tests.inventory import is_collected

# CI systems set these, and programs that print for them read them.
_CI_VARIABLE = compile_late(r"\b(CI|GITHUB_ACTIONS|GITLAB_CI|CONTINUOUS_INTEGRATION)\b")
# Code by which tests set variables.
_SETS_VARIABLE = compile_late(
    r"\b(setenv|delenv|Setenv|stubEnv|set_var|patch\.dict|EnvironmentVariables)\b"
    r"|\bprocess\.env\.\w+\s*=(?!=)|\benv\s*[:=]\s*\{|\benviron\[[^\]\n]+\]\s*=(?!=)"
)
# What stands before the name of a variable that is read.
_READS_VARIABLE = compile_late(r"(get|getenv|Getenv|var)\(\s*$|environ\[\s*$")


def is_tested_variable(comparison: Comparison, sign: Sign) -> bool:
    """Say whether a sign `asks` only for CI variables, and baseline tests set all of them."""
    variables = set(_CI_VARIABLE.findall(sign.text))
    if sign.name != "asks" or not variables or _reads_more(sign.text):
        return False
    tests = [
        path for path in comparison.old if comparison.role(path) == "test" and is_collected(path)
    ]
    texts = [text for path in tests if _SETS_VARIABLE.search(text := comparison.old.text(path))]
    return all(any(_is_set_in(name, text) for text in texts) for name in variables)


def _reads_more(text: str) -> bool:
    """Say whether code also reads a variable of a test runner, or names tests."""
    words = re.findall(r"\w+", text)
    return any(is_word("runner-variable", word) or re.match(r"(?i)tests?", word) for word in words)


def _is_set_in(name: str, text: str) -> bool:
    """Say whether the text of a test uses the variable in another way than reading it."""
    uses = re.finditer(rf"[\"'`]{name}(?==|[\"'`])|\bprocess\.env\.{name}\s*=(?!=)", text)
    return any(not _READS_VARIABLE.search(text[: use.start()][-40:]) for use in uses)
