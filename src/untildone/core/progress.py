"""The progress of a loop: what changes while it runs, and the record of each round."""

from typing import Literal, TypeAlias

from msgspec import Struct

from untildone.core.check_results import CheckResult, FileTotals, Totals
from untildone.core.contract import Amendment, LeftOut, Verification
from untildone.core.evidence import ChangeEvidence, Concern, Confirmation
from untildone.core.failure_changes import FailureCounts
from untildone.core.plan_task import TaskReport
from untildone.core.sandbox_trial import WallTrial
from untildone.core.verdict import Outcome, Verdict

Status: TypeAlias = Literal["active", "paused", "finished"]


class ClaimReport(Struct, frozen=True, kw_only=True):
    """The agent's report that a claim is met."""

    by: Verification
    evidence: str


# The names of these fields in the documented output of `rounds --json`.
_ROUND_JSON = {
    "edited_files": "edited",
    "written_files": "touched",
    "concerns": "losses",
    "comparisons": "proved",
}


class Round(Struct, frozen=True, kw_only=True, rename=_ROUND_JSON):
    """One judged stop, with what later rounds are compared with."""

    number: int
    at: str
    verdict: Verdict
    unmet: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    message: str = ""
    tree: str = ""
    # None: no check was run.
    totals: Totals | None = None
    # The spend of the loop up to this round.
    spend_usd: float | None = None
    # The files with the most findings, the worst first.
    files: tuple[FileTotals, ...] = ()
    # The findings in files edited since the previous round.
    edited_files: tuple[FileTotals, ...] = ()
    # The files the agent wrote in this round.
    written_files: tuple[str, ...] = ()
    # How many of the baseline's failures are gone.
    fixed: int = 0
    notes: tuple[str, ...] = ()
    # None: concerns were not looked for.
    concerns: tuple[Concern, ...] | None = None
    # The number of concerns; `concerns` holds only the first of them.
    concern_count: int = 0
    # How the tree was compared with the baseline, and whether a file differs; None: not compared.
    comparisons: tuple[str, ...] = ()
    # The walls of the sandbox in words.
    sandbox: str = ""
    change: ChangeEvidence | None = None
    changed: bool | None = None
    # The totals of each check alone, in the order of `checks`; the lists in `checks` are cut.
    counted: tuple[Totals, ...] = ()
    failure_counts: FailureCounts | None = None
    promises_given: tuple[str, ...] = ()
    # The folder that was judged, and the commit that was checked out there.
    project: str = ""
    commit: str = ""
    # The git tree of the judged files, where the round ended the loop or an approval may.
    git_tree: str = ""
    # The changes that the user is asked about, by file.
    diffs: dict[str, str] = {}
    # Set where the user's approval is all that is missing for the loop to be done.
    if_approved: Confirmation | None = None
    # Checks that could not run and that the stop was judged without.
    left_out: tuple[LeftOut, ...] = ()
    # Whose stop it was, and what it was told if it was held; empty in entries of earlier versions.
    agent: str = ""
    feedback: str = ""


class BaselineRun(Struct, frozen=True, kw_only=True):
    """The checks on the baseline, with the totals of each and of all; lists are cut as in a round.

    `totals` is None where a check could not be run.
    """

    checks: tuple[CheckResult, ...] = ()
    counted: tuple[Totals, ...] = ()
    totals: Totals | None = None


# The value of `Progress.clock` while the agent is idle: no time is counted.
STOPPED_CLOCK = ("", 0.0)


class Progress(Struct, frozen=True, kw_only=True):
    """What changes while the loop runs; counters only grow."""

    status: Status = "active"
    outcome: Outcome | None = None
    reason: str = ""
    round: int = 0
    stops_by_source: dict[str, int] = {}
    amendments: tuple[Amendment, ...] = ()
    met: dict[str, ClaimReport] = {}
    signalled: bool = False
    blocked: str = ""
    report: TaskReport | None = None
    notes: tuple[str, ...] = ()
    # Checks that were red and failures that occurred in any round so far.
    checks_seen_red: tuple[str, ...] = ()
    seen_failures: tuple[str, ...] = ()
    # Keys of what the red checks said in any round, the newest first, and in the last round.
    seen_messages: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    # The SHA-256 of the baseline's check results; empty where there are none.
    baseline: str = ""
    # The SHA-256 of the record of the baseline's files, or why they were not kept.
    baseline_tree_digest: str = ""
    baseline_missing: str = ""
    # The SHA-256 of the record of installed packages; empty where it was not made.
    dependency_digest: str = ""
    # The SHA-256 of the record of the last confirmation's runs; empty where there were none.
    confirming_runs: str = ""
    # How the sandboxes of this loop are walled, tried out on the baseline; None: not known yet.
    sandbox: WallTrial | None = None
    # The totals of the baseline; None where a check could not be run on it.
    baseline_totals: Totals | None = None
    totals: Totals | None = None
    # How many of the baseline's failures are gone, and by how many per cent there are fewer now.
    fixed: int = 0
    improved: int | None = None
    # How the last results compare with the baseline's; None where there was nothing to compare.
    failure_counts: FailureCounts | None = None
    # The criteria unmet in the last round; None before the first round.
    unmet: tuple[str, ...] | None = None
    failures: tuple[str, ...] = ()
    # The number of failures; `failures` holds only the first of them.
    remaining: int = 0
    # The failing tests and findings of the last round, each once, and red checks without any.
    open_failures: int = 0
    # How many rounds in a row ended with these failures.
    repeated: int = 0
    tree: str = ""
    # Keys of the last rounds' states, to detect two states that alternate.
    recent_states: tuple[str, ...] = ()
    # Rounds in a row in which nothing moved.
    stale_rounds: int = 0
    # Holds in a row without a tool call.
    idle_holds: int = 0
    # What was already reported to the agent.
    blocked_reported: bool = False
    unrunnable_reported: bool = False
    # Checks that could not run and that a stop was judged without.
    left_out: tuple[str, ...] = ()
    unchanged_reported: bool = False
    faults: int = 0
    background_reported: tuple[str, ...] = ()
    # The ids of the concerns the agent or the user was shown.
    reported_concerns: tuple[str, ...] = ()
    # Those that the user may approve, at a pause where nothing else is missing.
    open_concerns: tuple[str, ...] = ()
    # The id of the prompt for which a stop was let through already.
    waited_for_prompt: str = ""
    # Whether the user confirmed at a gate that the task is done.
    confirmed: bool = False
    # Whether the user approved the steps.
    steps_approved: bool = False
    steps_done: tuple[str, ...] = ()
    # How many of them were done at the last round.
    steps_reported: int = 0
    precheck: str = ""
    # The loop that started when this one ended.
    followed_by: str = ""
    spend_usd: float | None = None
    active_seconds: float = 0
    round_seconds: float = 0
    # The machine's boot id and its uptime when time was last counted.
    clock: tuple[str, float] = STOPPED_CLOCK
    updated_at: str = ""
