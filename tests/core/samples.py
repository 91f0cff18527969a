"""Contracts, results and evidence that the tests of the core share."""

from typing import Any

from untildone.core.check_results import (
    BaselineFinding,
    BaselineResult,
    CheckResult,
    Finding,
    Severity,
    Tests,
)
from untildone.core.contract import Bounds, Check, Contract
from untildone.core.evidence import Background, Concern, ConcernKind, Evidence
from untildone.core.progress import Progress

AT = "2025-03-01T10:00:00+00:00"
TEST = Check(name="test", command="pytest")
SLOW = Check(name="slow", command="pytest --slow", when="done")
LOST = Concern(id="L1", kind=ConcernKind.REMOVE_TEST, path="test_a.py", detail="test_one is gone")
AGENT = Background(id="b1", description="a subagent", ends=True)
SERVER = Background(id="b2", description="npm run dev", ends=False)


def contract(**given: Any) -> Contract:  # noqa: ANN401  any field of the contract
    fields: dict[str, Any] = {"checks": (TEST,), "task": "make the tests pass", **given}
    return Contract(id="a1", agent="claude", session="s1", project="/p", started_at=AT, **fields)


def bounds(rounds: int = 10, **given: Any) -> Bounds:  # noqa: ANN401  any bound
    return Bounds(rounds=rounds, **given)


def result(outcome: Any = "red", name: str = "test", **given: Any) -> CheckResult:  # noqa: ANN401
    code = {"green": 0, "unrunnable": 127}.get(outcome, 1)
    fields: dict[str, Any] = {"command": "pytest", "exit_code": code, **given}
    return CheckResult(name=name, outcome=outcome, **fields)


GREEN = result("green")
RED = result("red")


def failing(*tests: str, name: str = "test") -> CheckResult:
    counted = Tests(passed=1, failed=len(tests), failing=tests)
    return result("red", name, tests=counted)


def finding(
    text: str = "unused import",
    *,
    path: str = "a.py",
    line: int = 3,
    code: str = "F401",
    severity: Severity = "error",
) -> Finding:
    return Finding(
        check="test",
        path=path,
        line=line,
        code=code,
        severity=severity,
        text=text,
        fingerprint=f"{path} {text}",
    )


def make_baseline(*results: CheckResult) -> tuple[BaselineResult, ...]:
    """The same results as a later stop knows them."""
    return tuple(
        BaselineResult(
            name=each.name,
            outcome=each.outcome,
            tests=each.tests,
            findings=tuple(
                BaselineFinding(fingerprint=found.fingerprint, code=found.code, path=found.path)
                for found in each.findings
            ),
        )
        for each in results
    )


def make_evidence(*results: CheckResult, **given: Any) -> Evidence:  # noqa: ANN401  any field
    return Evidence(checks=results, **given)


def after(**given: Any) -> Progress:  # noqa: ANN401  any field of the progress
    """A loop that was red before, so that green proves something."""
    return Progress(**{"checks_seen_red": ("test",), **given})
