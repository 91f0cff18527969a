"""The receipt as JSON, and as Markdown that also reads well in a terminal."""

import json
from collections.abc import Sequence

import msgspec

from untildone.core.concerns import strip_content_digest
from untildone.core.text import pluralize
from untildone.core.verdict import OUTCOMES
from untildone.report.durations import format_seconds
from untildone.report.receipt import Allowance, Receipt
from untildone.report.receipt_checks import describe_run
from untildone.report.times import format_time, measure_seconds
from untildone.report.totals import describe_improvement
from untildone.report.verdict_names import name_outcome

# Shown of the digest of a tree and of a commit.
_DIGITS = 12


def encode_receipt(receipt: Receipt) -> bytes:
    """Return JSON in ASCII, because a path that is not UTF-8 cannot be encoded otherwise."""
    return json.dumps(msgspec.to_builtins(receipt), indent=2).encode() + b"\n"


def render_receipt(receipt: Receipt) -> str:
    state = name_outcome(receipt.outcome) if receipt.outcome else receipt.status
    parts = [
        f"# Receipt of loop {receipt.loop}: {state}",
        f"{receipt.reason}\n" if receipt.reason else "",
        *(f"- {line}" for line in _list_facts(receipt) if line),
    ]
    for title, lines in _list_sections(receipt).items():
        parts += [f"\n## {title}", *(f"- {line}" for line in lines)] if lines else []
        if title == "Concerns":
            changes = dict.fromkeys(concern.change for concern in receipt.concerns)
            parts += [f"\n{_indent(change)}" for change in changes if change]
    return "\n".join(part for part in parts if part) + "\n"


def _list_facts(receipt: Receipt) -> list[str]:
    bound = f" of {receipt.max_rounds}" if receipt.max_rounds else ", no bound"
    return [
        f"task: {receipt.task.splitlines()[0] if receipt.task else ''}",
        f"rounds: {receipt.rounds}{bound}",
        f"agents: {', then '.join(receipt.agents)}" if len(receipt.agents) > 1 else "",
        f"done when: {receipt.done_when}",
        f"judged: {describe_judgement(receipt)}",
        f"verdict: {receipt.verdict}" if receipt.verdict else "",
        f"shown by: {receipt.shown_by}" if receipt.shown_by else "",
        describe_improvement(receipt.initial, receipt.final, receipt.improved),
        describe_failures(receipt),
        _describe_repeated(receipt.repeated_findings, "finding"),
        _describe_repeated(_count_repeated_tests(receipt), "failing test"),
        f"counted: {', '.join(receipt.counts)}" if receipt.counts else "",
        f"only findings in: {', '.join(receipt.targets)}" if receipt.targets else "",
        receipt.ignored_configuration,
        f"follows loop {receipt.follows}" if receipt.follows else "",
        f"followed by loop {receipt.followed_by}" if receipt.followed_by else "",
        _describe_course(receipt),
    ]


def describe_judgement(receipt: Receipt) -> str:
    """Say which round the results are of, and which tree was judged."""
    if not receipt.judged_round:
        return "no round, so nothing is known about the work"
    elsewhere = receipt.judged_in not in ("", receipt.project)
    parts = (
        f"round {receipt.judged_round} at {format_time(receipt.judged_at)}",
        f"in {receipt.judged_in}" if elsewhere else "",
        f"tree {receipt.tree[:_DIGITS]}" if receipt.tree else "no tree, as no check was run",
        f"git tree {receipt.git_tree[:_DIGITS]}" if receipt.git_tree else "",
        f"HEAD {receipt.commit[:_DIGITS]}" if receipt.commit else "",
    )
    ended = receipt.ended_at and not receipt.ended_by_round
    end = "; nothing was checked after that" if ended else ""
    return ", ".join(filter(None, parts)) + end


def describe_failures(receipt: Receipt) -> str:
    """Say what became of the baseline's failures, and which checks are not compared with it."""
    failures = receipt.failures
    if failures is None:
        return ""
    known = {run.name for run in receipt.baseline_checks or () if run.outcome in ("green", "red")}
    unknown = [run.name for run in receipt.checks if run.name not in known]
    counts = (
        f"{failures.fixed} of {pluralize(failures.in_baseline, 'failure')} fixed",
        f"{failures.unseen} not seen any more" if failures.unseen else "",
        f"{failures.remaining} remaining",
        f"{failures.new} new",
        f"{failures.regressed} regressed",
    )
    rest = f"; not compared: {', '.join(unknown)}" if unknown else ""
    return f"since the baseline: {', '.join(filter(None, counts))}{rest}"


def _count_repeated_tests(receipt: Receipt) -> int:
    """Return how many failures of tests another check reports too; the totals count each once."""
    if receipt.final is None:
        return 0
    failed = sum(check.tests.failed for check in receipt.checks if check.tests)
    return max(0, failed - receipt.final.failed)


def _describe_repeated(count: int, noun: str) -> str:
    if not count:
        return ""
    verb = "is" if count == 1 else "are"
    return f"{pluralize(count, noun)} {verb} reported by another check too and counted once"


def _describe_course(receipt: Receipt) -> str:
    spend = "unknown" if receipt.spend_usd is None else f"{receipt.spend_usd:.2f} USD"
    begin = format_time(receipt.started_at)
    if not receipt.ended_at:
        return f"from {begin}, not ended, cost so far: {spend}"
    seconds = measure_seconds(receipt.started_at, receipt.ended_at)
    end = f"{format_time(receipt.ended_at)} ({format_seconds(seconds)})"
    return f"from {begin} to {end}, cost: {spend}"


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _list_sections(receipt: Receipt) -> dict[str, Sequence[str]]:
    return {
        "Checked": _list_checked(receipt),
        "Left out": [f"{entry.name}: {entry.reason}" for entry in receipt.left_out],
        "Checked on the baseline": _list_checked_on_baseline(receipt),
        "Compared with the baseline": _list_comparisons(receipt),
        "Concerns": _list_concerns(receipt),
        "Reported by the agent": [f"{name}: {text}" for name, text in receipt.claims.items()],
        "Said by the agent": receipt.promises_said,
        "Steps done": receipt.steps_done,
        "Precheck": [receipt.precheck] if receipt.precheck else [],
        "Not verified": receipt.unverified,
        "Allowed by the user": [
            _format_allowance(allowance, compared=receipt.compared)
            for allowance in receipt.approvals
        ],
        "Round by round": receipt.history,
        "Notes": receipt.notes,
        "Remaining": receipt.unmet,
        "Next steps": list_next_steps(receipt),
    }


def _list_checked(receipt: Receipt) -> list[str]:
    if not receipt.judged_round:
        return []
    missing = (f"{name}: not run in round {receipt.judged_round}" for name in receipt.not_run)
    return [*map(describe_run, receipt.checks), *missing]


def _list_checked_on_baseline(receipt: Receipt) -> list[str]:
    if receipt.baseline_checks is None and (receipt.checks or receipt.not_run):
        return ["not run, so it is unknown what failed before"]
    return [describe_run(run) for run in receipt.baseline_checks or ()]


def _list_comparisons(receipt: Receipt) -> Sequence[str]:
    if receipt.proved or receipt.compared or not receipt.checks:
        return [*receipt.proved, *filter(None, (receipt.sandbox,))]
    return ["not compared: this is done once every check is green"]


def _list_concerns(receipt: Receipt) -> list[str]:
    lines = [
        f"`{strip_content_digest(concern.id)}`: {concern.because}" for concern in receipt.concerns
    ]
    rest = receipt.unlisted_concerns
    return [*lines, f"and {rest} more, not listed here"] if rest else lines


def _format_allowance(allowance: Allowance, *, compared: bool) -> str:
    """Return what was allowed and when, and which concerns of the last comparison it covers."""
    covers = ", ".join(map(strip_content_digest, allowance.covers))
    suffix = f", covers {covers or 'nothing that was found'}" if compared else ""
    always = " always (`untildone trust --list`), in force" if allowance.always else ""
    when = format_time(allowance.at)
    return f"`{strip_content_digest(allowance.what)}`{always} at {when}{suffix}"


def list_next_steps(receipt: Receipt) -> list[str]:
    if receipt.outcome == "claimed":
        return ["review the work yourself: only the agent's words support it"]
    if receipt.outcome == "cancelled" and receipt.unmet:
        return ["start again with `untildone start`, or continue by hand"]
    if receipt.outcome is None or OUTCOMES[receipt.outcome].status != "paused":
        return []
    if receipt.outcome == "needs-approval":
        return [
            f"if you wanted the change: `untildone approve --loop {receipt.loop}`",
            "if not: undo it (`untildone show --at-start PATH` prints a file of the baseline),"
            f" then `untildone continue {receipt.loop}`",
            f"to give up: `untildone cancel {receipt.loop}`",
        ]
    resume = OUTCOMES[receipt.outcome].resume
    return [
        f"continue with `untildone {resume}`" if " prompt" not in resume else "answer in a prompt",
        "or fix what is listed above first",
        "to give up: `untildone cancel`",
    ]
