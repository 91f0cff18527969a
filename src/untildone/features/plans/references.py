"""Checks that PRD.md and SDD.md contain the requirements and sections that tasks refer to."""

import re
from collections.abc import Iterator

from untildone.features.plans.model import Mistake, Plan

_HEADING_NUMBER = re.compile(r"(?m)^#+\s*(?:section\s+)?(\d+(?:\.\d+)*)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


def check_references(plan: Plan, *, prd: str | None, sdd: str | None) -> Iterator[Mistake]:
    """`None` stands for a missing file."""
    for field, file, text in (("prd_refs", "PRD.md", prd), ("sdd_refs", "SDD.md", sdd)):
        named = [
            (name, reference)
            for name, task in plan.tasks.items()
            for reference in getattr(task, field)
        ]
        if named and text is None:
            yield Mistake(
                text=f"`{field}` cannot be looked up: there is no `{file}` beside the plan",
                remedy=f"write `{file}`, or take out the references",
                warning=True,
            )
        elif text is not None:
            yield from _find_missing(field, file, text, named)


def _find_missing(
    field: str, file: str, text: str, named: list[tuple[str, str]]
) -> Iterator[Mistake]:
    words = _normalize(text)
    numbers = set(_HEADING_NUMBER.findall(text))
    found: dict[str, bool] = {}
    for name, reference in named:
        if reference not in found:
            found[reference] = _is_mentioned(reference, words, numbers)
        if not found[reference]:
            yield Mistake(
                task=name,
                text=f"`{field}` names `{reference}`, which is not in `{file}`",
                remedy=f"correct the reference, or write it into `{file}`",
            )


def _is_mentioned(reference: str, text: str, numbers: set[str]) -> bool:
    """As words of their own, or by the number of a heading: "Section 7.1"."""
    words = _normalize(reference)
    if words and re.search(rf"(?<![\w.-]){re.escape(words)}(?![\w-])", text):
        return True
    number = _NUMBER.search(reference)
    return number is not None and not re.match(r"[A-Z]+-\d", reference) and number[0] in numbers


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())
