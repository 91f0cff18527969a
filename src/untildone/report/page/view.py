"""The page of a loop as a value, built from what the store has of it.

Every figure comes from the receipt or from the rounds that the receipt is built from, so that the
page and the receipt cannot disagree.
"""

from collections.abc import Iterator
from pathlib import PurePath

from untildone import __version__
from untildone.core.concerns import strip_content_digest
from untildone.report.page.inert_text import cut_lines, make_inert, make_line
from untildone.report.page.proof import list_shown, list_unknown
from untildone.report.page.series import build_charts
from untildone.report.page.summary import build_headline, list_figures
from untildone.report.page.timeline import list_rounds, rate_result
from untildone.report.page.values import (
    CheckRow,
    ConcernView,
    Fact,
    LoopView,
    Step,
)
from untildone.report.receipt import Allowance, Receipt, build_receipt
from untildone.report.receipt_checks import ReceiptCheck
from untildone.report.receipt_text import describe_failures, describe_judgement
from untildone.report.times import format_cost, format_time
from untildone.store.history import History
from untildone.store.loops import Record

_MAX_TITLE = 140
_MAX_TASK = 4_000
_MAX_CHECKS = 40
_MAX_CONCERNS = 30
_MAX_COMMANDS = 20
_CHANGE_LINES = 60
_CHANGE_WIDTH = 160


def build_loop_view(record: Record, history: History) -> LoopView:
    """Return everything that the page of the loop shows."""
    receipt = build_receipt(record, history)
    charts, not_drawn = build_charts(history, record.contract.started_at)
    checks = tuple(_list_checks(receipt))
    concerns = tuple(_list_concerns(receipt))
    title = make_line(receipt.task, _MAX_TITLE) or "(no task)"
    task = make_inert(receipt.task, _MAX_TASK)
    return LoopView(
        loop=receipt.loop,
        title=title,
        task="" if task == title else task,
        project=make_line(receipt.project, 200),
        folder=make_line(PurePath(receipt.project).name, 60),
        is_active=receipt.status == "active",
        headline=build_headline(receipt),
        figures=tuple(list_figures(record, receipt)),
        checks=checks[:_MAX_CHECKS],
        more_checks=max(0, len(checks) - _MAX_CHECKS),
        shown_by=list_shown(receipt),
        unknown=list_unknown(receipt, history),
        charts=charts,
        not_drawn=not_drawn,
        rounds=list_rounds(history, record.contract.started_at),
        round_count=len(history.rounds),
        concerns=concerns[:_MAX_CONCERNS],
        more_concerns=max(0, len(concerns) - _MAX_CONCERNS) + receipt.unlisted_concerns,
        facts=tuple(_list_facts(record, receipt)),
        reproduce=tuple(_list_steps(receipt)),
        version=__version__,
    )


def _list_checks(receipt: Receipt) -> Iterator[CheckRow]:
    """Yield each check with its result on the baseline and in the last round."""
    before = {run.name: run for run in receipt.baseline_checks or ()}
    for run in receipt.checks:
        yield _make_row(run.name, before.pop(run.name, None), run)
    for name in receipt.not_run:
        row = _make_row(name, before.pop(name, None), None)
        yield row
    for name, run in before.items():
        yield _make_row(name, run, None)


def _make_row(name: str, before: ReceiptCheck | None, now: ReceiptCheck | None) -> CheckRow:
    known = now or before
    return CheckRow(
        name=make_line(name, 60),
        command=make_line(known.command, 200) if known else "",
        before=make_line(before.summary, 200) if before else "",
        before_tone=rate_result(before.outcome) if before else "calm",
        now=make_line(now.summary, 200) if now else "",
        tone=rate_result(now.outcome) if now else "calm",
        how=_describe_run(now) if now else "",
    )


def _describe_run(check: ReceiptCheck) -> str:
    seconds = f"{check.seconds:.1f} s"
    return f"reused: green on the same tree ({seconds})" if check.cached else seconds


def _list_concerns(receipt: Receipt) -> Iterator[ConcernView]:
    """Yield the open concerns, then what the user allowed."""
    for concern in receipt.concerns:
        yield ConcernView(
            name=make_line(strip_content_digest(concern.id), 200),
            because=make_line(concern.because, 300),
            change=cut_lines(concern.change, lines=_CHANGE_LINES, width=_CHANGE_WIDTH),
        )
    for allowance in receipt.approvals:
        yield ConcernView(
            name=make_line(strip_content_digest(allowance.what), 200),
            because=make_line(_describe_cover(allowance, compared=receipt.compared), 300),
            approval=_describe_approval(allowance),
        )


def _describe_cover(allowance: Allowance, *, compared: bool) -> str:
    if not compared:
        return ""
    covers = ", ".join(map(strip_content_digest, allowance.covers))
    return f"covers {covers or 'nothing that was found'}"


def _describe_approval(allowance: Allowance) -> str:
    always = ", for every loop of the project" if allowance.always else ""
    return f"approved by the {allowance.by}, {format_time(allowance.at)}{always}"


def _list_facts(record: Record, receipt: Receipt) -> Iterator[Fact]:
    plan = record.contract.plan
    facts = {
        "loop": receipt.loop,
        "agent": ", then ".join(receipt.agents) or receipt.agent,
        "project": receipt.project,
        "plan": f"{plan.name} of {plan.path or 'a plan run'}" if plan else "",
        "started": format_time(receipt.started_at),
        "ended": format_time(receipt.ended_at) if receipt.ended_at else "",
        "cost": format_cost(receipt.spend_usd).removeprefix("cost "),
        "done when": receipt.done_when,
        "judged": describe_judgement(receipt),
        "failures": describe_failures(receipt),
        "counted": ", ".join(receipt.counts),
        "only findings in": ", ".join(receipt.targets),
        "follows loop": receipt.follows,
        "followed by loop": receipt.followed_by,
    }
    for name, text in facts.items():
        if text:
            yield Fact(name=name, text=make_line(text, 300))
    for title, texts in _list_sections(receipt).items():
        for text in texts[:_MAX_COMMANDS]:
            yield Fact(name=title, text=make_line(text, 300))
        if len(texts) > _MAX_COMMANDS:
            yield Fact(name=title, text=f"and {len(texts) - _MAX_COMMANDS} more")


def _list_sections(receipt: Receipt) -> dict[str, tuple[str, ...]]:
    return {
        "the agent reports": tuple(f"{name}: {text}" for name, text in receipt.claims.items()),
        "the agent says": receipt.promises_said,
        "step done": receipt.steps_done,
        "precheck": (receipt.precheck,) if receipt.precheck else (),
        "note": receipt.notes,
        "remaining": receipt.unmet,
    }


def _list_steps(receipt: Receipt) -> Iterator[Step]:
    """Yield the commands by which anybody can see the same result again."""
    if receipt.commit:
        yield Step(
            command=f"git checkout {make_line(receipt.commit, 64)}",
            purpose="the commit that was checked out; the judged tree may have had more changes",
        )
    for run in receipt.checks[:_MAX_COMMANDS]:
        command = make_line(run.command, 300)
        yield Step(command=command, purpose=make_line(f"{run.name}: {run.summary}", 200))
    left_out = len(receipt.checks) - _MAX_COMMANDS
    if left_out > 0:
        yield Step(command="untildone check", purpose=f"all, {left_out} more than listed here")
    yield Step(
        command=f"untildone show {receipt.loop} --json",
        purpose="contract, seal and receipt, on the machine that has the loop",
    )
