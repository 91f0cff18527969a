"""Very long loops as a page: 100,000 findings in a round, 10,000 rounds, and how large it gets."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from bench.table import Row, measure_medians
from untildone.core.check_results import CheckResult, Finding, Tests
from untildone.core.contract import Check, Contract
from untildone.core.progress import Progress, Round
from untildone.core.totals import count_totals
from untildone.core.verdict import Continue
from untildone.report.page.render import render_loop_page
from untildone.report.page.view import build_loop_view
from untildone.store.history import History
from untildone.store.loops import Record

_START = datetime(2026, 1, 1, tzinfo=UTC)
_FINDINGS = 100_000
_ROUNDS = 10_000


def measure(_folder: Path) -> list[Row]:
    many_findings = (make_round(1, findings=_FINDINGS), make_round(2, findings=_FINDINGS // 2))
    many_rounds = tuple(make_round(number) for number in range(1, _ROUNDS + 1))
    few_rounds = many_rounds[:50]
    rows = [
        _compare("100,000 findings to a page", many_findings, bound=2),
        _compare("10,000 rounds to a page", many_rounds, bound=0.5),
    ]
    for name, rounds in (("50 rounds", few_rounds), ("10,000 rounds", many_rounds)):
        size = len(render(rounds).encode()) / 1000
        rows.append(Row(f"the page of {name}", size, 500, "KB"))
    return rows


def _compare(what: str, rounds: tuple[Round, ...], *, bound: float) -> Row:
    """Compare with the least that any reader of the rounds has to do: to parse them."""
    data = msgspec.json.encode(rounds)
    actions: list[Callable[[], object]] = [lambda: json.loads(data), lambda: render(rounds)]
    parsed, rendered = measure_medians(actions, rounds=5)
    return Row(what, rendered / parsed, bound, "json.loads of the rounds")


def render(rounds: tuple[Round, ...]) -> str:
    contract = Contract(
        id="bench",
        agent="claude",
        session="s",
        project="/app",
        task="fix it",
        started_at=_START.isoformat(),
        checks=(Check(name="test", command="pytest"), Check(name="lint", command="ruff check")),
    )
    record = Record(contract=contract, progress=Progress(round=len(rounds)), generation=1)
    return render_loop_page(build_loop_view(record, History(rounds=rounds)))


def make_round(number: int, *, findings: int = 50) -> Round:
    """As the journal has it: 50 findings and failing tests of each check, and texts of 2,000."""
    names = tuple(f"tests/test_{number % 7}.py::test_{count}" for count in range(50))
    tests = Tests(passed=900, failed=50, failing=names)
    checks = (
        CheckResult(name="test", command="pytest", outcome="red", exit_code=1, tests=tests),
        CheckResult(
            name="lint",
            command="ruff check",
            outcome="red",
            exit_code=1,
            findings=tuple(make_finding(number, count) for count in range(findings)),
            finding_count=findings,
        ),
    )
    return Round(
        number=number,
        at=(_START + timedelta(minutes=number)).isoformat(),
        verdict=Continue(cause="unmet", names=("test", "lint")),
        checks=checks,
        counted=tuple(count_totals((check,)) for check in checks),
        totals=count_totals(checks),
        message="I am done. " * 180,
        feedback="- tests/test_prices.py: 3 failing tests\n" * 100,
        written_files=tuple(f"src/package/module{count}.py" for count in range(20)),
        spend_usd=0.1 * number,
    )


def make_finding(number: int, count: int) -> Finding:
    return Finding(
        check="lint",
        path=f"src/package/module{count % 97}.py",
        line=count,
        code="F401",
        severity="error",
        text=f"`name{count}` imported but unused",
        fingerprint=f"{number}-{count}",
    )
