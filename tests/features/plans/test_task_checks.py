"""What of a task we check ourselves, and what a verifier's report comes to."""

import shlex
import sys

import pytest

from features.plans.samples import plan, task
from snippets import snippet
from untildone.core.contract import Check
from untildone.core.plan_task import TaskReport, VerifierResult
from untildone.features.plans.plan_conditions import (
    Command,
    Condition,
    FileContains,
    HttpStatus,
    parse_condition,
)
from untildone.features.plans.task_checks import (
    find_promise,
    list_commands,
    list_review_criteria,
    list_task_checks,
    merge_checks,
)
from untildone.features.plans.verifier_reports import (
    CriterionEvidence,
    VerifierReport,
    assess_report,
    find_result_marker,
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("`npm test` exits 0", Command(line="npm test")),
        ("`./check` exits with code 0.", Command(line="./check")),
        ("`frobnicate --all` exits 0", Command(line="frobnicate --all")),
        ("`make e2e` passes", Command(line="make e2e")),
        ("`login()` passes", None),
        ("`User` has an e-mail", None),
        ("npm test", None),
        ("Run tests: npm test", None),
        (
            "File `src/a.ts` contains `export const a`",
            FileContains(path="src/a.ts", text="export const a"),
        ),
        ("The file `a` has `b`.", FileContains(path="a", text="b")),
        (
            "GET `http://localhost:3000/health` returns 200",
            HttpStatus(method="GET", url="http://localhost:3000/health", code=200),
        ),
        (
            "post http://127.0.0.1/users responds with status 201",
            HttpStatus(method="POST", url="http://127.0.0.1/users", code=201),
        ),
        ("GET `https://example.org` returns 200", None),
        ("GET `/api/users` returns 200", None),
        ("GET `http://[` returns 200", None),
        ("It looks nice", None),
    ],
)
def test_what_a_criterion_asks_for(sentence: str, expected: Condition | None) -> None:
    assert parse_condition(sentence) == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("Run migration: npm run db:migrate", Command(line="npm run db:migrate")),
        ("npm test", Command(line="npm test")),
        ("ruff check .", Command(line="ruff check .")),
        ("Run tests: npm test.", Command(line="npm test")),
        ("Run tests: npm test (should pass)", Command(line="npm test")),
        ("Type check: npx tsc --noEmit", Command(line="npx tsc --noEmit")),
        ("With a variable: CI=1 npm test", Command(line="CI=1 npm test")),
        ("Script: ./scripts/check.sh --all", Command(line="./scripts/check.sh --all")),
        ("Script: scripts/check.sh", Command(line="scripts/check.sh")),
        *(
            (f"Tests: {program} -m pytest", Command(line=f"{program} -m pytest"))
            for program in (".venv/bin/python", "venv/bin/python3.12", "python3.11")
        ),
        ("Tests: node_modules/.bin/jest", Command(line="node_modules/.bin/jest")),
        (
            "Windows: .venv\\Scripts\\python.exe -m pytest",
            Command(line=".venv\\Scripts\\python.exe -m pytest"),
        ),
        ("and/or: src/parser works", None),
        ("`frobnicate --all`", Command(line="frobnicate --all")),
        ("Run `npm test` and verify all tests pass", Command(line="npm test")),
        ("Run `npm test` and look at the colours", None),
        ("Unit: `npm test` passes", Command(line="npm test")),
        ("Run `login` in the browser", None),
        ("Verify: users can log in", None),
        ("make sure that it works", None),
        ("go to the page", None),
        ("Manual: open the page", None),
        ("Start it: npm run dev", None),
        ("`docker compose up`", None),
        ("Start it: docker compose up -d", Command(line="docker compose up -d")),
        ("CI=1", None),
        (" ", None),
    ],
)
def test_what_a_testing_entry_asks_for(entry: str, expected: Condition | None) -> None:
    assert parse_condition(entry, may_be_bare_command=True) == expected


def test_checks_are_the_tasks_own_and_those_its_sentences_come_to() -> None:
    own = Check(name="e2e", command="make e2e", timeout=60)
    found = task(
        checks=("make lint", own),
        acceptance_criteria=("`npm test` exits 0", "It looks nice", "File `a b` contains `-x`"),
        testing=("Run tests: npm test", "Lint: make lint", "Run `npm start` and look", "npm test"),
    )

    *checks, contains = list_task_checks(found)
    assert [(check.name, check.command) for check in checks] == [
        ("make lint", "make lint"),
        ("e2e", "make e2e"),
        ("`npm test` exits 0", "npm test"),
    ]
    assert checks[1] == own
    assert shlex.split(contains.command) == [
        *(
            sys.executable,
            "-I",
            "-m",
            "untildone.features.plans.probe",
            "contains",
            "--",
            "a b",
            "-x",
        )
    ]
    assert list_review_criteria(found) == ("It looks nice", "Run `npm start` and look")


def test_names_of_checks_differ_and_are_short() -> None:
    long = "x" * 200
    found = task(
        checks=(Check(name="a", command="1"), Check(name="a", command="2"), f"test {long}")
    )

    names = [check.name for check in list_task_checks(found)]
    assert names[:2] == ["a", "a (2)"]
    assert (len(names[2]), names[2][-2:]) == (120, " …")


def test_a_number_after_a_name_hides_no_check_of_that_name() -> None:
    checks = [Check(name=name, command=name * n) for n, name in enumerate(("a", "a (3)", "a"), 1)]

    assert [check.name for check in merge_checks(checks)] == ["a", "a (3)", "a (4)"]


def test_an_address_is_asked_by_a_command() -> None:
    (check,) = list_task_checks(
        task(acceptance_criteria=("GET `http://localhost:1/a` returns 200",))
    )

    assert shlex.split(check.command)[4:] == ["answers", "--", "GET", "http://localhost:1/a", "200"]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (
            snippet("""
                Do it.

                ## Completion Promise

                THE FORM IS NICE
            """),
            "THE FORM IS NICE",
        ),
        ("## Completion Promise\n<promise>ALL GOOD</promise>\n", "ALL GOOD"),
        ("### Completion Promise\n\n  It is so  \nmore", "It is so"),
        ("Say the completion promise", ""),
    ],
)
def test_the_promise_of_a_prompt(prompt: str, expected: str) -> None:
    found = task(prompt=prompt)

    assert find_promise(found) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("<task-loop-complete>VERIFIED</task-loop-complete>", "VERIFIED"),
        ("<feature-task-complete> BLOCKED </feature-task-complete>", "BLOCKED"),
        (
            "<task-loop-complete>INCOMPLETE</task-loop-complete> then "
            "<task-loop-complete>MISALIGNED</task-loop-complete>",
            "MISALIGNED",
        ),
        ("I will say `<task-loop-complete>VERIFIED</task-loop-complete>` later", None),
        ("<task-loop-complete>MAYBE</task-loop-complete>", None),
        ("<task-loop-complete>VERIFIED</feature-task-complete>", None),
    ],
)
def test_markers_of_the_seed_are_understood(message: str, expected: VerifierResult | None) -> None:
    assert find_result_marker(message) == expected


NICE = "It looks nice"
SHOWN = CriterionEvidence(met=True, evidence="looked at it")
UNSHOWN = TaskReport(result="INCOMPLETE", missing={NICE: "no evidence was given"})


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        pytest.param(
            VerifierReport(result="VERIFIED", criteria={NICE: SHOWN}),
            TaskReport(result="VERIFIED"),
            id="verified",
        ),
        pytest.param(VerifierReport(result="VERIFIED"), UNSHOWN, id="no evidence"),
        pytest.param(
            VerifierReport(
                result="VERIFIED",
                criteria={NICE: CriterionEvidence(met=True, evidence="I think", by="assumption")},
            ),
            UNSHOWN,
            id="assumed",
        ),
        pytest.param(
            VerifierReport(
                result="VERIFIED", criteria={NICE: CriterionEvidence(met=True, evidence=" ")}
            ),
            UNSHOWN,
            id="nothing shown",
        ),
        pytest.param(
            VerifierReport(
                result="VERIFIED",
                criteria={NICE: SHOWN, "test": CriterionEvidence(met=False, evidence="2 failed")},
            ),
            TaskReport(result="INCOMPLETE", missing={"test": "2 failed"}),
            id="the verifier denies it",
        ),
        pytest.param(
            VerifierReport(result="INCOMPLETE"),
            TaskReport(result="INCOMPLETE"),
            id="it says no more",
        ),
        pytest.param(
            VerifierReport(result="BLOCKED", criteria={NICE: SHOWN}, reason="no key"),
            TaskReport(result="BLOCKED", reason="no key"),
            id="blocked stays blocked",
        ),
    ],
)
def test_nothing_is_verified_that_evidence_denies_or_does_not_show(
    report: VerifierReport, expected: TaskReport
) -> None:
    assert assess_report(report, (NICE,)) == expected


def test_the_commands_of_a_plan_are_what_is_trusted() -> None:
    found = plan(
        A=task(testing=("npm test",), allow=("config:a.toml",)),
        B=task(testing=("npm test",), checks=("make lint",)),
    )

    assert list_commands(found) == ("npm test", "allow config:a.toml", "make lint")
