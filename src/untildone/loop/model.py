"""The words of the loop as values: contract, evidence, verdict, progress."""

from typing import Literal, TypeAlias

from msgspec import Struct

Speaker: TypeAlias = Literal["person", "agent"]
Rule: TypeAlias = Literal["checks", "promise", "both", "either"]
When: TypeAlias = Literal["round", "done"]
Verification: TypeAlias = Literal["execution", "observation", "measurement", "review", "assumption"]


class Check(Struct, frozen=True, kw_only=True):
    """A command whose exit code and report are evidence."""

    name: str
    command: str
    when: When = "round"
    timeout: float = 600
    cwd: str = ""
    success_pattern: str = ""
    failure_pattern: str = ""
    # A safe fix of the tool's own, tried before the agent is asked.
    fix: str = ""
    env: dict[str, str] = {}
    reason: str = ""


class Claim(Struct, frozen=True, kw_only=True):
    """A criterion only the agent can report on."""

    name: str
    verification: Verification = "execution"


class Bounds(Struct, frozen=True, kw_only=True):
    """`0` is no bound; `stagnation` None is the default for what the loop measures."""

    rounds: int = 10
    budget_usd: float = 25
    minutes: float = 0
    round_minutes: float = 0
    stagnation: int | None = None


class Contract(Struct, frozen=True, kw_only=True):
    id: str
    agent: str
    session: str
    project: str
    task: str
    started_at: str
    started_by: Speaker = "person"
    preset: str = ""
    checks: tuple[Check, ...] = ()
    promises: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    must_not: tuple[str, ...] = ()
    done_when: Rule = "checks"
    bounds: Bounds = Bounds()
    allow: tuple[str, ...] = ()
    gated: bool = False


class Amendment(Struct, frozen=True, kw_only=True):
    """A later agreement. The person may change any bound; the agent may only add claims."""

    by: Speaker
    at: str
    bounds: Bounds | None = None
    claim: Claim | None = None
    allow: tuple[str, ...] = ()
    session: str = ""


Severity: TypeAlias = Literal["error", "warning", "info", "security"]
CheckOutcome: TypeAlias = Literal["green", "red", "flaky", "unrunnable", "timed-out", "no-evidence"]


class Finding(Struct, frozen=True, kw_only=True):
    """One diagnostic; the fingerprint survives a shift of lines."""

    check: str
    path: str
    line: int
    code: str
    severity: Severity
    text: str
    fingerprint: str


class Tests(Struct, frozen=True, kw_only=True):
    """What a test run reported: counts, and the ids that failed."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failing: tuple[str, ...] = ()

    @property
    def executed(self) -> int:
        return self.passed + self.failed


class CheckResult(Struct, frozen=True, kw_only=True):
    """`reason` says why it is not green; `output` is the cleaned end of what it printed."""

    name: str
    command: str
    outcome: CheckOutcome
    exit_code: int | None = None
    seconds: float = 0
    cached: bool = False
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    tests: Tests | None = None
    output: str = ""
    output_path: str = ""
    # What was mended by the check's own `fix` before this result.
    fixed_by: str = ""

    @property
    def green(self) -> bool:
        return self.outcome == "green"


class Met(Struct, frozen=True, kw_only=True):
    """The agent's report on one claim."""

    by: Verification
    evidence: str


class Loss(Struct, frozen=True, kw_only=True):
    """Something the start had and the tree now has not; `id` names it for `approve`."""

    id: str
    kind: str
    path: str
    detail: str


class Background(Struct, frozen=True, kw_only=True):
    """Work of the agent that goes on behind its back; `ends` if it always ends by itself."""

    id: str
    description: str
    ends: bool


Turn: TypeAlias = Literal["agent", "queued", "plan", "question"]


class Evidence(Struct, frozen=True, kw_only=True):
    """Everything known at one stop. `losses` is None until integrity has looked."""

    ignored: str = ""
    cancelled: bool = False
    paused: bool = False
    broken_seal: str = ""
    turn: Turn = "agent"
    prompt: str = ""
    background: tuple[Background, ...] = ()
    forbidden: tuple[str, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    said: tuple[str, ...] = ()
    signalled: bool = False
    blocked: str = ""
    losses: tuple[Loss, ...] | None = None
    fault: str = ""
    spend_usd: float | None = None
    minutes: float = 0
    round_minutes: float = 0
    cap_reached: bool = False
    gate: str = ""
    tree: str = ""


Because: TypeAlias = Literal[
    "unmet", "signal", "unconfirmed", "losses", "blocked", "unrunnable", "background", "fault"
]
Ending: TypeAlias = Literal["done", "claimed", "cancelled"]
Pausing: TypeAlias = Literal[
    "out-of-rounds",
    "out-of-budget",
    "out-of-time",
    "stagnated",
    "blocked",
    "tampered",
    "forbidden",
    "unrunnable",
    "cut-off",
    "gate",
    "paused",
    "needs-approval",
    "unverified",
]
Outcome: TypeAlias = Ending | Pausing | Literal["vague"]


class Continue(Struct, frozen=True, kw_only=True, tag="continue"):
    """Hold the agent. `counted` is False where the stop was no attempt at the task."""

    because: Because
    names: tuple[str, ...] = ()
    counted: bool = True


class Finish(Struct, frozen=True, kw_only=True, tag="finish"):
    outcome: Ending
    reason: str


class Pause(Struct, frozen=True, kw_only=True, tag="pause"):
    outcome: Pausing
    reason: str


class Wait(Struct, frozen=True, kw_only=True, tag="wait"):
    """Let this stop pass without counting it."""

    reason: str


class Ignore(Struct, frozen=True, kw_only=True, tag="ignore"):
    reason: str


Verdict: TypeAlias = Continue | Finish | Pause | Wait | Ignore


class Ended(Struct, frozen=True, kw_only=True):
    """How an outcome leaves the loop, what `run` exits with, and how it is resumed."""

    status: Literal["finished", "paused", "not started"]
    exit_code: int
    resume: str = ""


OUTCOMES: dict[Outcome, Ended] = {
    "done": Ended(status="finished", exit_code=0),
    "out-of-rounds": Ended(status="paused", exit_code=10, resume="continue --rounds +N"),
    "out-of-budget": Ended(status="paused", exit_code=11, resume="continue --budget +N"),
    "out-of-time": Ended(status="paused", exit_code=12, resume="continue --minutes +N"),
    "stagnated": Ended(status="paused", exit_code=13, resume="continue"),
    "blocked": Ended(status="paused", exit_code=14, resume="continue"),
    "tampered": Ended(status="paused", exit_code=15, resume="continue"),
    "forbidden": Ended(status="paused", exit_code=16, resume="continue"),
    "unrunnable": Ended(status="paused", exit_code=17, resume="continue"),
    "cancelled": Ended(status="finished", exit_code=18),
    "vague": Ended(status="not started", exit_code=19, resume="start"),
    "cut-off": Ended(status="paused", exit_code=20, resume="continue"),
    "gate": Ended(status="paused", exit_code=21, resume="the next prompt"),
    "paused": Ended(status="paused", exit_code=22, resume="continue"),
    "claimed": Ended(status="finished", exit_code=23),
    "needs-approval": Ended(status="paused", exit_code=24, resume="approve"),
    "unverified": Ended(status="paused", exit_code=25, resume="continue"),
}

Status: TypeAlias = Literal["active", "paused", "finished"]


class Round(Struct, frozen=True, kw_only=True):
    """One judged stop, as the next ones compare themselves with it."""

    number: int
    at: str
    verdict: Verdict
    unmet: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    message: str = ""
    tree: str = ""


class Progress(Struct, frozen=True, kw_only=True):
    """What changes while the loop runs; counters only grow."""

    status: Status = "active"
    outcome: Outcome | None = None
    reason: str = ""
    round: int = 0
    stops_by_source: dict[str, int] = {}
    amendments: tuple[Amendment, ...] = ()
    met: dict[str, Met] = {}
    signalled: bool = False
    blocked: str = ""
    notes: tuple[str, ...] = ()
    seen_red: tuple[str, ...] = ()
    seen_failures: tuple[str, ...] = ()
    start_failures: tuple[str, ...] | None = None
    start_tests: dict[str, int] = {}
    unmet: tuple[str, ...] | None = None
    failures: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    stale: int = 0
    idle_holds: int = 0
    blocked_told: bool = False
    unrunnable_told: bool = False
    faults: int = 0
    told_background: tuple[str, ...] = ()
    told_losses: tuple[str, ...] = ()
    waited_for: str = ""
    confirmed: bool = False
    spend_usd: float | None = None
    active_seconds: float = 0
    round_seconds: float = 0
    clock: tuple[str, float] = ("", 0)
    updated_at: str = ""
