"""Check results: findings, tests, the result of each check, and totals."""

from typing import Literal, TypeAlias

from msgspec import Struct

Severity: TypeAlias = Literal["error", "warning", "info", "security"]
CheckOutcome: TypeAlias = Literal["green", "red", "flaky", "unrunnable", "timed-out", "no-evidence"]

# What checks are run for; `affected` are the tests that run before a confirming run.
CheckPhase: TypeAlias = Literal["check", "baseline", "confirming", "affected"]

SEVERITY_NOUNS: dict[Severity, str] = {
    "error": "error",
    "warning": "warning",
    "info": "note",
    "security": "security finding",
}


class Finding(Struct, frozen=True, kw_only=True, gc=False):
    """One diagnostic; its fingerprint stays the same when lines shift."""

    check: str
    path: str
    line: int
    code: str
    severity: Severity
    text: str
    fingerprint: str


class Tests(Struct, frozen=True, kw_only=True):
    """What a test run reported: counts, and the tests' ids where the report names them."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    skipping: tuple[str, ...] = ()

    @property
    def executed(self) -> int:
        return self.passed + self.failed


class CheckResult(Struct, frozen=True, kw_only=True):
    """`reason` says why it is not green; `output` is the end of the output, cleaned."""

    name: str
    command: str
    outcome: CheckOutcome
    exit_code: int | None = None
    seconds: float = 0
    cached: bool = False
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    # How many findings there were, where only the first of them are kept.
    finding_count: int = 0
    tests: Tests | None = None
    output: str = ""
    output_path: str = ""
    # What the check's own `fix` command repaired before this run.
    fixed_by: str = ""

    @property
    def green(self) -> bool:
        return self.outcome == "green"


class BaselineFinding(Struct, frozen=True, kw_only=True):
    fingerprint: str
    code: str = ""
    path: str = ""


class BaselineResult(Struct, frozen=True, kw_only=True):
    """The part of a baseline result that a stop needs; the whole is in the baseline's file."""

    name: str
    outcome: CheckOutcome
    tests: Tests | None = None
    findings: tuple[BaselineFinding, ...] = ()

    @property
    def green(self) -> bool:
        return self.outcome == "green"


class Totals(Struct, frozen=True, kw_only=True):
    """Findings by severity and tests by outcome; a failing test is no finding here."""

    errors: int = 0
    warnings: int = 0
    infos: int = 0
    security: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0


class FileTotals(Struct, frozen=True, kw_only=True):
    path: str
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    security: int = 0
