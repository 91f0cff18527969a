"""Questions: one line per kind of concern, with what was and what is."""

import pytest

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.core.questions import Question, list_questions, summarize_questions
from untildone.core.task_answers import asks_to_raise, find_answer

PATH = "tests/test_ferry.py"


def concern(
    kind: ConcernKind,
    path: str,
    detail: str = "",
    *,
    old: str = "",
    new: str = "",
    added: bool = False,
) -> Concern:
    made = make_concern(kind, path, detail, reason=f"`{path}` is different", content="1f3a")
    return Concern(
        id=made.id, kind=kind, path=path, detail=made.detail, old=old, new=new, added=added
    )


def expectation(name: str, old: str, new: str) -> Concern:
    return concern(ConcernKind.EDIT_EXPECTED, PATH, name, old=old, new=new)


YOUTHS = expectation("test_youths", "6", "12")
UNSHOWN = concern(ConcernKind.PROOF, "tests")
TOX = concern(ConcernKind.CONFIG, "tox.ini", "tox.env_list", old="py{38,39}", new="py{39}")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (YOUTHS, "1 test expectation changed: `test_youths` 6 → 12"),
        (TOX, "1 check setting changed: `tox.env_list` in `tox.ini` py{38,39} → py{39}"),
        (
            concern(ConcernKind.REMOVE_TEST, f"{PATH}::test_old"),
            "1 test no longer runs: `test_old`",
        ),
        (
            concern(ConcernKind.EDIT_TEST, PATH, "test_a", new="@skip"),
            "1 test changed: `test_a` now has `@skip`",
        ),
        (
            concern(ConcernKind.EDIT_TEST, PATH, "test_a", old="assert f(1) == 2"),
            "1 test changed: `test_a` no longer has `assert f(1) == 2`",
        ),
        (
            concern(ConcernKind.CONFIG, "conftest.py", added=True),
            "1 new file that the checks need: `conftest.py`",
        ),
        (
            concern(ConcernKind.SUPPRESSION, "a.py", "F401", added=True),
            "1 suppression added: `a.py` is different",
        ),
        (
            concern(ConcernKind.PROOF, "tests"),
            "`tests` is different",
        ),
    ],
)
def test_one_concern(asked: Concern, expected: str) -> None:
    (question,) = list_questions((asked,))

    assert (question.text, question.line, question.concerns) == (expected, expected, (asked,))


def test_many_of_one_kind_are_one_line_with_a_count() -> None:
    asked = [expectation(f"test_{number}", str(number), "0") for number in range(1, 16)]

    (question,) = list_questions(asked)

    assert question.text == (
        "15 test expectations changed: `test_1` 1 → 0; `test_2` 2 → 0; `test_3` 3 → 0;"
        " 12 more of this kind"
    )


def test_at_most_five_kinds_are_named() -> None:
    kinds = (*ConcernKind,)[:7]

    line = summarize_questions(list_questions(concern(kind, "a.py") for kind in kinds))

    assert line.count(";") == 5
    assert line.endswith("; 2 more of other kinds")


def test_what_the_task_asks_for_comes_first_and_says_so() -> None:
    questions = list_questions((YOUTHS, TOX), "Drop Python 3.8. Keep the rest.")

    assert [question.line for question in questions] == [
        "1 check setting changed: `tox.env_list` in `tox.ini` py{38,39} → py{39}"
        " (the task says “Drop Python 3.8”)",
        "1 test expectation changed: `test_youths` 6 → 12",
    ]


def test_a_question_of_one_kind_is_divided_by_what_the_task_says() -> None:
    strict = concern(ConcernKind.CONFIG, "pyproject.toml", "mypy.strict", old="true", new="false")

    questions = list_questions((strict, TOX), "Drop Python 3.8")

    assert questions == (
        Question(concerns=(TOX,), text=questions[0].text, answer="Drop Python 3.8"),
        Question(concerns=(strict,), text=questions[1].text),
    )


@pytest.mark.parametrize(
    ("asked", "task", "answer"),
    [
        (YOUTHS, "Fix the parser.\nYouths pay 12 now", "Youths pay 12 now"),
        (YOUTHS, "Youths pay 12", "Youths pay 12"),
        (YOUTHS, "Youths pay half", ""),
        (YOUTHS, "Change what `test_youths` expects", "Change what `test_youths` expects"),
        (expectation("test_youths", "6", "1"), "1. Fix the parser", ""),
        (expectation("test_youths", "6", "1"), "Youths pay 1", "Youths pay 1"),
        (TOX, "Support Python 3.12", ""),
        (TOX, "Test on Python 3.8 too", ""),
        (
            concern(ConcernKind.REMOVE_TEST, "a.py::test_csv_import"),
            "Remove the CSV import",
            "Remove the CSV import",
        ),
        (concern(ConcernKind.REMOVE_TEST, "a.py::test_csv_import"), "Fix the CSV import", ""),
        (concern(ConcernKind.REMOVE_TEST, "a.py::test_it"), "Remove it", ""),
        (
            concern(ConcernKind.CONFIG, "a.toml", "coverage.fail_under", old="90", new="80"),
            "Lower fail_under to 80",
            "Lower fail_under to 80",
        ),
        (UNSHOWN, "refactor: remove old branches", "refactor: remove old branches"),
        (UNSHOWN, "[Perf] make `compact` linear", "[Perf] make `compact` linear"),
        (UNSHOWN, "Fix the fares. Update the docs.", ""),
        (UNSHOWN, "Update the docs. Fix typos.", "Update the docs"),
        (UNSHOWN, "Test the double complement", "Test the double complement"),
        (UNSHOWN, "sets: cover a branch", "sets: cover a branch"),
        (UNSHOWN, "Fix the fares, and add a test", ""),
        (UNSHOWN, "Discover all ports", ""),
        (UNSHOWN, "Fix the crash when a user renames a file", ""),
        (UNSHOWN, "Tests fail on Windows: fix the paths", ""),
        (UNSHOWN, "Add a search field to the docs page", ""),
    ],
)
def test_words_of_the_task_that_answer(asked: Concern, task: str, answer: str) -> None:
    assert find_answer(asked, task) == answer


@pytest.mark.parametrize(
    ("task", "asks"),
    [
        ("Drop Python 3.8", True),
        ("Merge pull request #556 from nicoddemus/drop-py38", True),
        ("Require Python 3.9 or later", True),
        ("Modernize the parser. Python 3.8 is no longer supported.", True),
        ("Fix the crash on Python 3.8", False),
        ("Drop the old parser; it was slow", False),
        ("", False),
    ],
)
def test_words_that_ask_for_a_higher_version(task: str, asks: bool) -> None:
    assert asks_to_raise(task, "3.8", "3.9") is asks
