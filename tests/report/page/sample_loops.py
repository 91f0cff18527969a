"""Loops with their history as the store has them, of any length, calm or hostile."""

from datetime import datetime, timedelta
from functools import cache
from typing import Any

from msgspec.structs import replace

from core.samples import AT
from untildone.core.check_results import CheckResult, Finding, Tests
from untildone.core.contract import Amendment, Bounds, Check, Contract
from untildone.core.evidence import ChangeEvidence, Concern, ConcernKind
from untildone.core.failure_changes import FailureCounts
from untildone.core.progress import BaselineRun, Progress, Round
from untildone.core.totals import count_totals
from untildone.core.verdict import Continue, Finish, Verdict
from untildone.store.history import History, UnjudgedStop
from untildone.store.loops import Record

TEST = Check(name="test", command="pytest -q")
LINT = Check(name="lint", command="ruff check .")
TASK = "Give per cent off, not units off; tests and lint must pass."
# Everything that a page could take for markup, a link, a terminal's command or another order.
HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1) {{ 7*7 }}"
    " \x1b[31mred\x1b[0m \u202egnp.exe\u202c \u200b\x00 \"quoted' & `code` | @someone #12 [x](y)"
)
CONCERN = Concern(
    id="edit-expected:tests/test_prices.py:test_total#0123456789ab",
    kind=ConcernKind.EDIT_EXPECTED,
    path="tests/test_prices.py",
    detail="the expected value of test_total changed",
)
DIFF = "--- a in the baseline\n+++ a now\n@@ -1 +1 @@\n-assert total() == 45\n+assert total() == 40"


def make_time(seconds: float) -> str:
    return (datetime.fromisoformat(AT) + timedelta(seconds=seconds)).isoformat()


def make_tests(passed: int, failed: int, skipped: int = 1) -> CheckResult:
    names = tuple(f"tests/test_prices.py::test_{number}" for number in range(failed))
    return CheckResult(
        name="test",
        command=TEST.command,
        outcome="red" if failed else "green",
        exit_code=int(bool(failed)),
        seconds=1.25,
        tests=Tests(passed=passed, failed=failed, skipped=skipped, failing=names),
    )


def make_lint(count: int, listed: int | None = None) -> CheckResult:
    shown = count if listed is None else listed
    return CheckResult(
        name="lint",
        command=LINT.command,
        outcome="red" if count else "green",
        exit_code=int(bool(count)),
        seconds=0.2,
        findings=tuple(make_finding(number) for number in range(shown)),
        finding_count=count,
    )


def make_finding(number: int) -> Finding:
    return Finding(
        check="lint",
        path=f"prices{number % 7}.py",
        line=number + 1,
        code="F401",
        severity="error",
        text=f"`name{number}` imported but unused",
        fingerprint=f"prices F401 {number}",
    )


def make_round(
    number: int,
    *checks: CheckResult,
    verdict: Verdict | None = None,
    **fields: Any,  # noqa: ANN401  any field
) -> Round:
    red = tuple(check.name for check in checks if not check.green)
    given: dict[str, Any] = {
        "verdict": verdict or Continue(cause="unmet", names=red),
        "message": f"Round {number} is done, everything passes.",
        "spend_usd": 0.12 * number,
        "written_files": ("prices.py", f"tests/test_{number}.py"),
        "totals": count_totals(checks),
        "counted": tuple(count_totals((check,)) for check in checks),
        "failure_counts": FailureCounts(in_baseline=9, fixed=number, remaining=9 - number),
        "fixed": number,
        "tree": "3f" * 32,
        "commit": "1b" * 20,
        "agent": "claude",
        "feedback": f"[untildone] Round {number} of 10: not done yet. Unmet: test, lint.",
        **fields,
    }
    return Round(number=number, at=make_time(240 * number), checks=checks, **given)


@cache
def make_history(count: int = 6) -> History:
    """Rounds in which failures become fewer; the last one is done."""
    rounds = [
        make_round(
            number,
            make_tests(10 + number, min(6, count - number)),
            make_lint(min(18, 3 * (count - number))),
        )
        for number in range(1, count + 1)
    ]
    rounds[-1] = replace(
        rounds[-1],
        verdict=Finish(outcome="done", reason="every check passes"),
        concerns=(CONCERN,),
        concern_count=1,
        diffs={"tests/test_prices.py": DIFF},
        comparisons=("14 tests of the baseline are still there", "no setting was loosened"),
        changed=True,
        sandbox="in a sandbox with its own home, processes and network",
        change=ChangeEvidence(
            fail_to_pass=2, fail_to_pass_names=("test_ten", "test_five"), pass_to_pass=14
        ),
        notes=("the discount was in units",),
    )
    before = (make_tests(8, min(6, count)), make_lint(min(18, 3 * count)))
    return History(
        rounds=tuple(rounds),
        baseline=BaselineRun(
            checks=before,
            counted=tuple(count_totals((check,)) for check in before),
            totals=count_totals(before),
        ),
        unjudged=(UnjudgedStop(after_round=1, at=make_time(300), reason="the client ended it"),),
        ended_at=make_time(240 * count),
        ended_by_round=True,
    )


def make_record(history: History, **contract: Any) -> Record:  # noqa: ANN401  any field
    """The loop of these rounds, done, with the concern of its last round approved."""
    last = history.rounds[-1] if history.rounds else None
    verdict = last.verdict if last else None
    given = {"task": TASK, "checks": (TEST, LINT), "project": "/home/ada/shop", **contract}
    ended = isinstance(verdict, Finish)
    return Record(
        contract=Contract(
            id="7d2a276e", agent="claude", session="s1", started_at=AT, bounds=Bounds(), **given
        ),
        progress=Progress(
            status="finished" if ended else "active",
            outcome=verdict.outcome if isinstance(verdict, Finish) else None,
            reason=verdict.reason if isinstance(verdict, Finish) else "",
            round=len(history.rounds),
            spend_usd=last.spend_usd if last else None,
            baseline_totals=history.baseline.totals if history.baseline else None,
            totals=last.totals if last else None,
            amendments=(Amendment(by="user", at=make_time(60), allow=(CONCERN.id,)),),
            updated_at=history.ended_at or AT,
        ),
        generation=1,
    )
