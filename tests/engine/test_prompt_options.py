"""Options inside a slash command's text, and bounds as people write them."""

import pytest

from untildone.engine.grants import Grant, build_grant, parse_grant
from untildone.engine.prompt_options import find_misplaced_options, parse_number, split_options
from untildone.errors import UserError


@pytest.mark.parametrize(
    ("text", "task", "given"),
    [
        ("", "", {}),
        ("write the parser", "write the parser", {}),
        ("fix it --rounds 5", "fix it", {"rounds": ["5"]}),
        ("--iterations=7 fix it", "fix it", {"rounds": ["7"]}),
        ("fix it --max-iterations 7 --budget 2.5", "fix it", {"rounds": ["7"], "budget": ["2.5"]}),
        (
            "fix it --check \"npm test\" --check 'a b'",
            "fix it",
            {"checks": ["npm test", "a b"]},
        ),
        (
            "--promise 'ALL DONE' --done-when promise",
            "",
            {"promises": ["ALL DONE"], "done_when": ["promise"]},
        ),
        ("document the --check flag", "document the --check flag", {}),
        ("fix it --zero-security", "fix it", {"zero_security": ["true"]}),
        ("--zero-security --rounds 3", "", {"zero_security": ["true"], "rounds": ["3"]}),
        ("explain --zero-security to me", "explain to me", {"zero_security": ["true"]}),
        (
            "fix it --zero-warnings --tests-pass --no-zero-errors",
            "fix it",
            {"zero_warnings": ["true"], "tests_pass": ["true"], "zero_errors": ["false"]},
        ),
        (
            "fix it --target src/a.py --todos",
            "fix it",
            {"targets": ["src/a.py"], "todos": ["true"]},
        ),
        ("--then 'coverage-to 80' fix it", "fix it", {"then": ["coverage-to 80"]}),
        ("--then fix-tests --from-todos", "", {"then": ["fix-tests"], "from_todos": ["true"]}),
        (
            "go --round-minutes 7 --criterion 'a b=review' --must-not=\"test -e x\"",
            "go",
            {"round_minutes": ["7"], "criteria": ["a b=review"], "must_not": ["test -e x"]},
        ),
        (
            "--success-pattern 'ok' --failure-pattern 'no' go --allow config:a/b.cfg",
            "go",
            {"success_pattern": ["ok"], "failure_pattern": ["no"], "allow": ["config:a/b.cfg"]},
        ),
        ("--template fix-tests", "", {"template": ["fix-tests"]}),
        ("--template 'coverage-to 80'", "", {"template": ["coverage-to 80"]}),
        ("explain the --criterion option", "explain the --criterion option", {}),
        ("look at @src/a.py", "look at @src/a.py", {}),
        ("--rounds 3 fix it", "fix it", {"rounds": ["3"]}),
        (
            "fix the parser --rounds 3 and its tests",
            "fix the parser and its tests",
            {"rounds": ["3"]},
        ),
        ('"fix it" --minutes 5', "fix it", {"minutes": ["5"]}),
        ('"a" and "b"', '"a" and "b"', {}),
        ("explain --rounds", "explain --rounds", {}),
        ("use --verbose --roundsome 5", "use --verbose --roundsome 5", {}),
        ("fix foo--rounds 5", "fix foo--rounds 5", {}),
        ("fix foo--rounds 5 --minutes 3", "fix foo--rounds 5", {"minutes": ["3"]}),
        (
            "keep $(x) `y` --- 'z' --stagnation-limit 0",
            "keep $(x) `y` --- 'z'",
            {"stagnation_limit": ["0"]},
        ),
    ],
)
def test_the_task_beside_the_options(text: str, task: str, given: dict[str, list[str]]) -> None:
    assert split_options(text) == (task, given)


@pytest.mark.parametrize(
    ("text", "task", "targets"),
    [
        ("'Fix it' --zero-warnings @src/services/", "Fix it", ["src/services/"]),
        ("@src/services/ @a.py 'Fix it' --zero-warnings", "Fix it", ["src/services/", "a.py"]),
        ("mail a@b.org about it --zero-warnings", "mail a@b.org about it", []),
        ("--zero-warnings mail bob@example.com", "mail bob@example.com", []),
    ],
)
def test_a_place_is_a_target_where_findings_count(text: str, task: str, targets: list[str]) -> None:
    found, given = split_options(text, paths=True)

    assert (found, given.get("targets", []), given["zero_warnings"]) == (task, targets, ["true"])


@pytest.mark.parametrize(("text", "expected"), [("5", 5), ("0", 0), ("2.5", 2.5)])
def test_a_number(text: str, expected: float) -> None:
    assert parse_number(text, "--rounds") == expected


@pytest.mark.parametrize("text", ["five", "-1", "nan", "inf", "1e9", ""])
def test_no_number(text: str) -> None:
    with pytest.raises(UserError) as error:
        parse_number(text, "--rounds")

    assert error.value.message == f"`{text}` is not a number for `--rounds`"
    assert error.value.hint == "for example `--rounds 5`"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("and hurry", None),
        ("--rounds +5", Grant(rounds=5)),
        ("--rounds 5", Grant(rounds=5)),
        ("--rounds =5", Grant(rounds=5, exact=("rounds",))),
        ("--iterations +5 --budget=10", Grant(rounds=5, budget_usd=10)),
        ("--minutes +2.5", Grant(minutes=2.5)),
        (
            "--max-iterations 5 --round-minutes =9",
            Grant(rounds=5, round_minutes=9, exact=("round_minutes",)),
        ),
    ],
)
def test_what_continue_grants(text: str, expected: Grant | None) -> None:
    assert parse_grant(text) == expected


def test_a_bound_that_is_no_number() -> None:
    with pytest.raises(UserError) as error:
        build_grant({"rounds": "+many"})

    assert error.value.message == "`+many` is not a number for `--rounds`"
    assert build_grant({}) is None


@pytest.mark.parametrize(
    ("task", "told"),
    [
        ("fix it", []),
        ("fix it, and a dash -- here", []),
        ("add --verbose", ["`--verbose` is no option of this command and"]),
        ("fix it --round 5", ["`--round` is no option of this command and"]),
        ("--check npm test", ["`--check`"]),
        (
            "--zero-warning=1 or --zero-warning",
            ["`--zero-warning` is no option of this command and"],
        ),
    ],
)
def test_what_looks_like_an_option_and_is_read_as_the_task_is_reported(
    task: str, told: list[str]
) -> None:
    near = {"--round": "--rounds", "--zero-warning": "--zero-warnings"}
    endings = {f"`{word}`": f"; did you mean `{meant}`?" for word, meant in near.items()}
    endings["`--check`"] = '; it needs a text in quotes: `--check "…"`'

    assert list(find_misplaced_options(task)) == [
        f"{text} is read as part of the task{endings.get(text.split()[0], '')}" for text in told
    ]


def test_options_in_the_middle_of_a_sentence_are_part_of_it() -> None:
    text = "say --rounds 3 to it, then go --minutes 5"

    assert split_options(text, anywhere=False) == (
        "say --rounds 3 to it, then go",
        {"minutes": ["5"]},
    )
