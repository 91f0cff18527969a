"""The contract of a loop: what was agreed when it started, and its amendments."""

from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.plan_task import PlanTask

Speaker: TypeAlias = Literal["user", "agent"]
ExitRule: TypeAlias = Literal["checks", "promise", "both", "either"]
CheckStage: TypeAlias = Literal["round", "done"]
Preset: TypeAlias = Literal["build", "test", "lint", "ship", "fix", "loop"]
# How fast a change can be undone: 2A within a minute, 2B within five minutes, 1 within hours.
Reversibility: TypeAlias = Literal["2A", "2B", "1"]
Verification: TypeAlias = Literal["execution", "observation", "measurement", "review", "assumption"]
# What shows the change of a loop whose checks were green before: a test that fails without it, or
# changed files alone.
Proof: TypeAlias = Literal["tests", "files"]
Count: TypeAlias = Literal["zero-errors", "zero-warnings", "zero-security", "tests-pass"]


class LeftOut(Struct, frozen=True, kw_only=True):
    """A check that does not run, and why."""

    name: str
    reason: str


class CheckSettings(Struct, frozen=True, kw_only=True):
    """What a configuration may say about a check."""

    command: str = ""
    # "done" checks are slow: they run only when everything else is met.
    when: CheckStage = "round"
    # Seconds; None: as long as its past runs make likely (`core/time_limits.py`).
    timeout: float | None = None
    cwd: str = ""
    success_pattern: str = ""
    failure_pattern: str = ""
    # The tool's own safe fix, which runs before the agent is asked to fix anything.
    fix: str = ""
    env: dict[str, str] = {}
    # The name of the parser for its output, or a pattern of the user's that matches one finding.
    parser: str = ""
    pattern: str = ""
    # Whether the baseline's tests run on the new code as well; if not, the user's reason.
    replay: bool = True
    replay_reason: str = ""
    # What runs in the sandbox to confirm a green check: all of it, or only what a change affects.
    confirm: Literal["full", "affected"] = "full"
    # What to do with a check that is red and green on the same tree: ask the user, or take green.
    flaky: Literal["refuse", "tolerate"] = "refuse"
    # Names of the checks that run before this one; empty: inferred, a build before the tests.
    after: tuple[str, ...] = ()
    # Whether it is left out; a detected check of this name is, too.
    skip: bool = False


class Check(CheckSettings, frozen=True, kw_only=True):
    """A command whose exit status and report are evidence."""

    name: str
    command: str
    reason: str = ""
    # Whether it was found in the project's files, not named by the user: without its tool the loop
    # can go on.
    detected: bool = False


class Claim(Struct, frozen=True, kw_only=True):
    """A criterion that only the agent can report on."""

    name: str
    verification: Verification = "execution"


class Bounds(Struct, frozen=True, kw_only=True):
    """The limits of a loop. 0 means no limit; `stagnation` None means the default."""

    rounds: int = 10
    budget_usd: float = 25
    minutes: float = 0
    round_minutes: float = 0
    stagnation: int | None = None


class Oracle(Struct, frozen=True, kw_only=True):
    """A program of the user's outside the repository that confirms the result."""

    path: str
    sha256: str


class LoopSettings(Struct, frozen=True, kw_only=True):
    """What both a template and the options of `start` may say about a loop."""

    task: str = ""
    checks: tuple[str, ...] = ()
    promises: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    done_when: ExitRule | None = None
    proof: Proof | None = None
    rounds: int | None = None
    budget: float | None = None
    minutes: float | None = None
    round_minutes: float | None = None
    stagnation_limit: int | None = None


class Terms(Struct, frozen=True, kw_only=True):
    """What is asked for when a loop starts and stays as it is in the contract."""

    session: str
    task: str = ""
    preset: str = ""
    checks: tuple[Check, ...] = ()
    promises: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    # Commands: the loop pauses when one of them exits with 0.
    must_not: tuple[str, ...] = ()
    # None: tests where a check reports any, else files.
    proof: Proof | None = None
    bounds: Bounds = Bounds()
    # Concerns the user allowed beforehand, as `KIND:PATH[:DETAIL]`.
    allow: tuple[str, ...] = ()
    reversibility: Reversibility = "2A"
    steps: tuple[str, ...] = ()
    # Whether the loop's state is deleted once it is finished.
    clean: bool = False
    # Counts that must be zero, and the paths whose findings count (none given: all paths).
    counts: tuple[Count, ...] = ()
    targets: tuple[str, ...] = ()
    # Todo items that were unfinished at the start and are criteria.
    todos: tuple[str, ...] = ()
    # Templates of the loops to start after this one is done, and the loop this one followed.
    then: tuple[str, ...] = ()
    after: str = ""
    # Whether the loop that this one followed was done, so that a change is shown already.
    follows_done: bool = False
    plan: PlanTask | None = None


class Contract(Terms, frozen=True, kw_only=True):
    """What user and untildone agreed on when the loop started; it is sealed on disk."""

    id: str
    agent: str
    project: str
    task: str
    started_at: str
    started_by: Speaker = "user"
    done_when: ExitRule = "checks"
    # Whether the loop pauses for the user's confirmation after each step.
    gated: bool = False
    # Constraints in words that no command can test; the agent is reminded of them.
    limits: tuple[str, ...] = ()
    # The score of the spec, 0 to 10; None for a loop without one.
    score: int | None = None
    # Never shown to the agent.
    oracle: Oracle | None = None
    # A line about configuration of the project that was ignored because it is not trusted.
    ignored_configuration: str = ""
    # Those of `allow` that the user approved for good in an earlier loop of the project.
    always: tuple[str, ...] = ()
    # Checks that the user left out, and those whose tool was not installed at the start.
    left_out: tuple[LeftOut, ...] = ()
    missing_tools: tuple[LeftOut, ...] = ()


class Amendment(Struct, frozen=True, kw_only=True):
    """A later agreement.

    The user may change every term; the agent may only add claims and steps, and switch gates on.
    """

    by: Speaker
    at: str
    bounds: Bounds | None = None
    claim: Claim | None = None
    allow: tuple[str, ...] = ()
    # Those of `allow` that hold in every later loop of the project too.
    always: tuple[str, ...] = ()
    session: str = ""
    # Set where the session is another agent's than before.
    agent: str = ""
    steps: tuple[str, ...] = ()
    gated: bool | None = None
