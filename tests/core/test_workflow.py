"""Which kind of work a spec asks for."""

import pytest

from untildone.core.reminders import classify_workflow


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("Implement the export", "build"),
        ("Add a flag; fix the old one too", "build"),
        ("Fix what the new feature broke", "debug"),
        ("The login is broken", "debug"),
        ("Refactor all API routes", "refactor"),
        ("clean up the parser, then add tests", "refactor"),
        ("Think about it", None),
        ("Address the prefixes", None),
    ],
)
def test_the_first_word_that_names_a_workflow_decides(spec: str, expected: str | None) -> None:
    found = classify_workflow(spec)

    assert (found.name if found else None) == expected
