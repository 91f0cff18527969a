"""The feature "budget": measures what a loop has cost at its stops and between tool calls."""

from msgspec.structs import replace

from untildone.core.evidence import Evidence
from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.payload import Call
from untildone.engine.stopped_loop import StoppedLoop
from untildone.features.budget import spend_source
from untildone.store.loops import Record


def _answer_event(context: Context, call: Call) -> str:
    """Answer a call between two stops: pause the loop if a bound is used up."""
    # Imported where it is used: a stop needs the spend alone.
    from untildone.features.budget import budget_pause

    return budget_pause.answer_tool_call(context, call)


def _loop_started(context: Context, record: Record) -> tuple[str, ...]:
    """Note where the transcript is now; there are no warnings."""
    spend_source.begin_ledger(context, record)
    return ()


def _gather(context: Context, loop: StoppedLoop, evidence: Evidence) -> Evidence:
    """Return the evidence of a stop with what the loop has cost."""
    return replace(evidence, spend_usd=spend_source.measure_spend(context, loop.record, loop.stop))


FEATURE = Feature(
    answer_event=_answer_event,
    loop_started=_loop_started,
    gather=_gather,
    explain_spend=spend_source.explain_unknown_spend,
)
