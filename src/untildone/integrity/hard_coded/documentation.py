"""Values that the task, the documents or the baseline code mention: they may be hard-coded."""

import re

from untildone.integrity.comparison import Comparison


def is_documented(comparison: Comparison, path: str, values: tuple[str, ...]) -> bool:
    """Whether one line of the task, the documents or the baseline file has all the values."""
    documents = [each for each in comparison.old if comparison.role(each) == "document"]
    texts = (comparison.task, *(comparison.old.text(each) for each in (path, *documents)))
    lines = (line for text in texts for line in text.splitlines() if "assert" not in line)
    return any(all(_occurs_in(value, line) for value in values) for line in lines)


def _occurs_in(value: str, line: str) -> bool:
    if value.startswith("'"):
        return value.strip("'") in line
    numbers = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", line)
    return value in (f"{float(number):g}" for number in numbers)
