"""The words of the loop as values: contract, evidence, verdict, progress."""

from enum import StrEnum
from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.plan_task import PlanTask, TaskReport
from untildone.core.results import (
    BaselineFinding,
    BaselineResult,
    CheckOutcome,
    CheckResult,
    FileTotals,
    Finding,
    Severity,
    Tests,
    Totals,
)

# The words of a result are words of the loop: they are found here too.
__all__ = [
    "BaselineFinding",
    "BaselineResult",
    "CheckOutcome",
    "CheckResult",
    "FileTotals",
    "Finding",
    "Severity",
    "Tests",
    "Totals",
]

Speaker: TypeAlias = Literal["user", "agent"]
Rule: TypeAlias = Literal["checks", "promise", "both", "either"]
When: TypeAlias = Literal["round", "done"]
# How soon a change can be taken back: within a minute, within five, within hours.
Reversibility: TypeAlias = Literal["2A", "2B", "1"]
Verification: TypeAlias = Literal["execution", "observation", "measurement", "review", "assumption"]
Count: TypeAlias = Literal["zero-errors", "zero-warnings", "zero-security", "tests-pass"]


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
    # The one parser to read its output with, and a pattern of the person's that finds findings.
    parser: str = ""
    pattern: str = ""
    # False: the start's tests are not run again on the new code, for the reason the person gives.
    replay: bool = True
    replay_reason: str = ""
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


class Oracle(Struct, frozen=True, kw_only=True):
    """A program of the person's, outside of the repository, and what is in it."""

    path: str
    sha256: str


class Contract(Struct, frozen=True, kw_only=True):
    id: str
    agent: str
    session: str
    project: str
    task: str
    started_at: str
    started_by: Speaker = "user"
    preset: str = ""
    checks: tuple[Check, ...] = ()
    promises: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    must_not: tuple[str, ...] = ()
    done_when: Rule = "checks"
    bounds: Bounds = Bounds()
    allow: tuple[str, ...] = ()
    gated: bool = False
    # What must not happen and no command can test; the agent is reminded of it.
    limits: tuple[str, ...] = ()
    reversibility: Reversibility = "2A"
    steps: tuple[str, ...] = ()
    # Of ten, for a loop from a spec.
    score: int | None = None
    # The person's choice: nothing of the loop's state is kept once it is finished.
    clean: bool = False
    # What must be none of, and the paths whose findings count; none given: all of them.
    counts: tuple[Count, ...] = ()
    targets: tuple[str, ...] = ()
    # The items that were unfinished at the start, where they are criteria.
    todos: tuple[str, ...] = ()
    # Templates that follow one after another when this ends well, and the loop this one followed.
    then: tuple[str, ...] = ()
    after: str = ""
    # Never shown to the agent.
    oracle: Oracle | None = None
    plan: PlanTask | None = None


class Amendment(Struct, frozen=True, kw_only=True):
    """A later agreement. The person may change any bound; the agent may only add claims,
    steps, and the gates of a loop that asks the person."""

    by: Speaker
    at: str
    bounds: Bounds | None = None
    claim: Claim | None = None
    allow: tuple[str, ...] = ()
    session: str = ""
    steps: tuple[str, ...] = ()
    gated: bool | None = None


class Met(Struct, frozen=True, kw_only=True):
    """The agent's report on one claim."""

    by: Verification
    evidence: str


class ConcernKind(StrEnum):
    """What a concern is about; the values begin the ids that users approve."""

    SUPPRESSION = "suppression"
    REMOVE_TEST = "remove-test"
    EDIT_TEST = "edit-test"
    EDIT_EXPECTED = "edit-expected"
    CONFIG = "config"
    RUNNER = "runner"
    SNIFFING = "sniffing"
    ALWAYS_EQUAL = "always-equal"
    HARD_CODED = "hard-coded"
    DEPENDENCY = "dependency"
    ENVIRONMENT = "environment"
    ORACLE = "oracle"
    PASS_TO_PASS = "replay"  # noqa: S105  not a password


class Concern(Struct, frozen=True, kw_only=True):
    """Something the baseline had and the tree no longer has; `id` names it for `approve`."""

    id: str
    kind: ConcernKind
    path: str
    detail: str


class Background(Struct, frozen=True, kw_only=True):
    """Work of the agent that goes on behind its back; `ends` if it always ends by itself."""

    id: str
    description: str
    ends: bool


class Todo(Struct, frozen=True, kw_only=True):
    """One item of a list that the agent keeps."""

    text: str
    done: bool = False


class StatusBlock(Struct, frozen=True, kw_only=True):
    """What the agent says of its loop from `---LOOP_STATUS---` to `---END_STATUS---`."""

    exit_signal: bool = False
    criteria: dict[str, bool] = {}
    # Rounds in a row with the same criteria unmet, as the agent counts them.
    stuck: int | None = None
    next: str = ""


# Whose turn it is; `failed`: the model gave no answer, because of a limit or a failure.
Turn: TypeAlias = Literal["agent", "queued", "plan", "question", "failed"]


class Evidence(Struct, frozen=True, kw_only=True):
    """Everything known at one stop. `losses` is None until integrity has looked, `start` where
    nothing is known of it."""

    ignored: str = ""
    cancelled: bool = False
    paused: bool = False
    broken_seal: str = ""
    turn: Turn = "agent"
    prompt: str = ""
    background: tuple[Background, ...] = ()
    forbidden: tuple[str, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    baseline: tuple[BaselineResult, ...] | None = None
    # What linters and language servers say of the files edited since the last stop, as they are
    # now: told to the agent, never a criterion.
    diagnostics: tuple[Finding, ...] = ()
    edited: tuple[FileTotals, ...] = ()
    said: tuple[str, ...] = ()
    signalled: bool = False
    blocked: str = ""
    concerns: tuple[Concern, ...] | None = None
    # How the work was compared with the start, for the receipt.
    proved: tuple[str, ...] = ()
    fault: str = ""
    spend_usd: float | None = None
    minutes: float = 0
    round_minutes: float = 0
    cap_reached: bool = False
    gate: str = ""
    tree: str = ""
    status: StatusBlock | None = None
    todos: tuple[Todo, ...] = ()
    # Files the agent wrote since the last stop.
    touched: tuple[str, ...] = ()
    # Files edited again and again in this round that are now what they were before.
    thrashed: tuple[str, ...] = ()


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


class Round(Struct, frozen=True, kw_only=True, rename={"concerns": "losses"}):
    """One judged stop, as the next ones compare themselves with it."""

    number: int
    at: str
    verdict: Verdict
    unmet: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    message: str = ""
    tree: str = ""
    totals: Totals | None = None
    # Of the loop up to this round.
    spend_usd: float | None = None
    # The files with the most findings, the worst first.
    files: tuple[FileTotals, ...] = ()
    # The files edited since the round before, by their own diagnostics.
    edited: tuple[FileTotals, ...] = ()
    # The files the agent wrote in this round, how many of the start's failures are gone, its notes.
    touched: tuple[str, ...] = ()
    fixed: int = 0
    notes: tuple[str, ...] = ()
    # What the start had and the tree has not, and how that was found; None: nobody looked.
    concerns: tuple[Concern, ...] | None = None
    proved: tuple[str, ...] = ()


# No time passes for a loop whose agent rests.
STOPPED = ("", 0.0)


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
    report: TaskReport | None = None
    notes: tuple[str, ...] = ()
    seen_red: tuple[str, ...] = ()
    seen_failures: tuple[str, ...] = ()
    # The SHA-256 of what the checks found before the agent began; empty where nobody knows.
    baseline: str = ""
    # The SHA-256 of the record of the files the start had, or why they were not kept.
    baseline_digest: str = ""
    baseline_missing: str = ""
    # As far back as they were counted: at the start, or else in the first round.
    baseline_totals: Totals | None = None
    totals: Totals | None = None
    # How many of the start's failures are gone, and per cent of them.
    fixed: int = 0
    improved: int | None = None
    unmet: tuple[str, ...] | None = None
    failures: tuple[str, ...] = ()
    # How many failures there are, where `failures` holds only some of them.
    remaining: int = 0
    # How many rounds in a row ended with these failures.
    repeated: int = 0
    tree: str = ""
    recent: tuple[str, ...] = ()
    stale: int = 0
    idle_holds: int = 0
    blocked_told: bool = False
    unrunnable_told: bool = False
    faults: int = 0
    told_background: tuple[str, ...] = ()
    # What the person is asked about, by id.
    reported_concerns: tuple[str, ...] = ()
    waited_for: str = ""
    confirmed: bool = False
    # The person has seen the steps and said to go on.
    planned: bool = False
    steps_done: tuple[str, ...] = ()
    # How many of them the person had heard of at the last round.
    steps_told: int = 0
    precheck: str = ""
    # The loop that began when this one ended.
    followed_by: str = ""
    spend_usd: float | None = None
    active_seconds: float = 0
    round_seconds: float = 0
    # The boot of the machine and its age when time was last counted.
    clock: tuple[str, float] = STOPPED
    updated_at: str = ""
