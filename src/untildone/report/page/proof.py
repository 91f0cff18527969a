"""What shows that the work is done, and what stayed unknown, from the receipt."""

from collections.abc import Iterator

from untildone.core.evidence import ChangeEvidence
from untildone.core.text import join_first, pluralize
from untildone.report.page.inert_text import list_first, make_line
from untildone.report.page.values import Fact
from untildone.report.receipt import Receipt
from untildone.store.history import History

_MAX_NAMES = 10
_MAX_LINES = 20
_JUDGED = ("green", "red")


def list_shown(receipt: Receipt) -> tuple[Fact, ...]:
    """Return what the runs and comparisons of the last round show."""
    return (*_list_change(receipt.change), *_list_comparison(receipt))


def _list_change(change: ChangeEvidence | None) -> Iterator[Fact]:
    if change is None:
        return
    yield from _describe_fail_to_pass(change)
    if change.pass_to_pass is not None:
        count = pluralize(change.pass_to_pass, "test")
        text = f"{count} of the baseline passed on the new code"
        yield Fact(name="pass-to-pass", text=text, tone="good" if change.pass_to_pass else "calm")
    if change.turned_green:
        names = make_line(", ".join(change.turned_green))
        yield Fact(name="turned green", text=names, tone="good")
    if change.biting_tests:
        text = f"{pluralize(change.biting_tests, 'new test')} of unchanged code"
        yield Fact(name="new tests", text=f"{text}, each fails without the function it names")
    if change.dropped_versions:
        yield Fact(name="requires", text=make_line(", ".join(change.dropped_versions)))
    yield from _name_tests("approved removals", change.approved_removals)
    yield from _name_tests("edited tests", change.edited_tests)


def _describe_fail_to_pass(change: ChangeEvidence) -> Iterator[Fact]:
    if change.fail_to_pass:
        names, _ = list_first(change.fail_to_pass_names, _MAX_NAMES)
        verbs = ("fails", "passes") if change.fail_to_pass == 1 else ("fail", "pass")
        yield Fact(
            name="fail-to-pass",
            text=f"{pluralize(change.fail_to_pass, 'test')} {verbs[0]} on the baseline's code"
            f" and {verbs[1]} now",
            tone="good",
            details=names,
            more=max(0, change.fail_to_pass - len(names)),
        )


def _name_tests(name: str, tests: tuple[str, ...]) -> Iterator[Fact]:
    if tests:
        shown, more = list_first(tests, _MAX_NAMES)
        text = pluralize(len(tests), "test")
        yield Fact(name=name, text=text, tone="warn", details=shown, more=more)


def _list_comparison(receipt: Receipt) -> Iterator[Fact]:
    if receipt.proved:
        lines, more = list_first(receipt.proved, _MAX_LINES)
        yield Fact(name="compared", text=lines[0], details=lines[1:], more=more)
    if receipt.sandbox:
        walls = receipt.sandbox.removeprefix("walls of the sandbox: ")
        yield Fact(name="sandbox walls", text=make_line(walls, 300), tone="good")
    if receipt.verdict:
        yield Fact(name="trust", text=str(receipt.verdict))


def list_unknown(receipt: Receipt, history: History) -> tuple[str, ...]:
    """Return what nobody knows about the work, so that silence is never taken for proof."""
    lines = (
        *_list_unjudged(receipt, history),
        *_list_unrun(receipt),
        *_list_uncompared(receipt),
        *_list_words(receipt),
    )
    return tuple(make_line(line, 300) for line in lines[:_MAX_LINES]) + (
        (f"and {len(lines) - _MAX_LINES} more",) if len(lines) > _MAX_LINES else ()
    )


def _list_unjudged(receipt: Receipt, history: History) -> Iterator[str]:
    if not receipt.judged_round:
        yield "No stop was judged, so nothing is known about the work."
    elif receipt.ended_at and not receipt.ended_by_round:
        yield f"Nothing was checked after round {receipt.judged_round}."
    if history.unjudged:
        stops = pluralize(len(history.unjudged), "stop")
        reasons = dict.fromkeys(stop.reason for stop in history.unjudged)
        yield f"{stops} could not be judged: {join_first(tuple(reasons), 2)}."
    if receipt.spend_usd is None:
        yield "The cost is unknown."


def _list_unrun(receipt: Receipt) -> Iterator[str]:
    if receipt.not_run and receipt.judged_round:
        names = join_first(receipt.not_run)
        yield f"Not run in round {receipt.judged_round}: {names}."
    for entry in receipt.left_out:
        yield f"`{entry.name}` was left out: {entry.reason}."
    if receipt.baseline_checks is None and (receipt.checks or receipt.not_run):
        yield "The checks were not run on the baseline, so it is unknown what failed before."
    for run in receipt.baseline_checks or ():
        if run.outcome not in _JUDGED:
            yield f"`{run.name}` gave no result on the baseline: {run.summary}."


def _list_uncompared(receipt: Receipt) -> Iterator[str]:
    if receipt.checks and not receipt.compared:
        yield (
            "The tree was not compared with the baseline: that is done once every check is green."
        )
    if receipt.compared and not receipt.sandbox:
        yield "The checks were not confirmed in a sandbox."
    change = receipt.change
    if change and change.pass_to_pass is None:
        yield "The baseline's tests were not run on the new code, or not counted."
    if change and change.missing:
        yield f"No test shows the change: {change.missing}."
    if receipt.unlisted_concerns:
        yield f"{pluralize(receipt.unlisted_concerns, 'concern')} more than are listed."


def _list_words(receipt: Receipt) -> Iterator[str]:
    if receipt.by_words_alone:
        yield f"Only the agent's words support: {join_first(receipt.by_words_alone)}."
    yield from (f"No command verifies “{text}”." for text in receipt.unverified)
    if receipt.ignored_configuration:
        yield f"{receipt.ignored_configuration}."
