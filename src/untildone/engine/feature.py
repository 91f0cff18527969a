"""The interface between engine and features: one function for each moment a feature can act at.

A feature is a folder of `features/` whose `feature.py` makes a `Feature` with the functions that
it needs, and one line in `features/registry.py`. The engine calls them without knowing any
feature by name.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, cast

from msgspec import Struct

if TYPE_CHECKING:
    # Only annotations name these: a hook must not pay for importing them.
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from untildone.agents.events import Prompt, Stop
    from untildone.core.contract import Contract
    from untildone.core.evidence import Evidence
    from untildone.core.progress import Progress
    from untildone.core.verdict import Verdict
    from untildone.engine.agent_verbs import AgentVerb
    from untildone.engine.context import Context
    from untildone.engine.payload import Call
    from untildone.engine.request import PromptedLoop, Request, StartOptions
    from untildone.engine.scope import Scope
    from untildone.engine.stopped_loop import Answer, JudgedStop, StoppedLoop
    from untildone.report.doctor import Problem
    from untildone.store.loops import Record
    from untildone.store.sessions import Session


# Defaults of the functions below: they return nothing, or the value they could have changed.


def _no_text(*_: object) -> str:
    return ""


def _no_texts(*_: object) -> tuple[str, ...]:
    return ()


def _nothing(*_: object) -> None:
    return None


def _hold_nothing(*_: object) -> AbstractContextManager[None]:
    return nullcontext()


def _no_problems(*_: object) -> Iterator[Problem]:
    return iter(())


def _same_progress(_: Contract, progress: Progress, __: object) -> Progress:
    return progress


def _same_last(*values: Any) -> Any:  # noqa: ANN401  the value that a feature may change
    return values[-1]


class Feature(Struct, frozen=True, kw_only=True):
    """The functions of one feature; each does nothing where the feature leaves it out."""

    # Events

    # the answer to an event that only this feature handles
    answer_event: Callable[[Context, Call], str] = _no_text

    # Starting a loop

    # the request of a prompt whose preset belongs to this feature
    request_from_prompt: Callable[[Context, Prompt, PromptedLoop], Request | None] = _nothing
    # the request with what the options say about this feature
    read_options: Callable[[Context, StartOptions, Request], Request] = _same_last
    # the contract with this feature's criteria; raises UserError if they cannot be agreed on
    agree: Callable[[Context, Request, Contract], Contract] = _same_last
    # holds what no other loop may take while this one is recorded; raises UserError if one has it
    reserve: Callable[[Context, Contract], AbstractContextManager[None]] = _hold_nothing
    # acts on a loop that was just recorded; returns warnings
    loop_started: Callable[[Context, Record], tuple[str, ...]] = _no_texts
    # lines that the user reads when the loop has started
    describe_start: Callable[[Context, Record], tuple[str, ...]] = _no_texts

    # Prompts

    # the loop after this prompt has resumed it, if the prompt answers a question the loop asked
    resume_by_prompt: Callable[[Context, Record, str], Record | None] = _nothing
    # what the agent should remember at a prompt in a session without a loop
    remind: Callable[[Context, Prompt, Session], str] = _no_text

    # Stops

    # begins or ends a loop before the stop is judged; returns the answer if none is active then
    before_stop: Callable[[Context, Stop, Session], str] = _no_text
    # the answer to a stop of a session without an active loop
    stop_without_loop: Callable[[Context, Call, Stop], str] = _no_text
    # the progress with what the agent's last message reports
    read_message: Callable[[Contract, Progress, str], Progress] = _same_progress
    # the progress with a report of the agent that its sandboxed shell could not save
    apply_verb: Callable[[Contract, Progress, AgentVerb], Progress] = _same_progress
    # the evidence with what is known before any check runs
    gather: Callable[[Context, StoppedLoop, Evidence], Evidence] = _same_last
    # acts just before the checks run
    before_checks: Callable[[Context, StoppedLoop], None] = _nothing
    # the evidence with explanations for an agent that is held; they do not change the verdict
    explain: Callable[[Context, StoppedLoop, Evidence], Evidence] = _same_last
    # tells other programs about a saved verdict; the flag says whether the stop was a round
    announce: Callable[[Context, Record, Verdict, bool], None] = _nothing
    # the answer to the stop, which this feature may extend or replace
    finish_answer: Callable[[Context, Record, JudgedStop, Answer], Answer] = _same_last

    # Ends

    # acts on a loop that has ended or paused; returns lines for the user
    loop_ended: Callable[[Context, Record], tuple[str, ...]] = _no_texts
    # updates or removes files outside of the loop's state, once no stop is being judged
    clean_up: Callable[[Context, str], None] = _nothing

    # Reports

    # why the spend of a loop is not known
    explain_spend: Callable[[Context, Record], str] = _no_text
    # what `doctor` should report
    find_problems: Callable[[Context, Path], Iterator[Problem]] = _no_problems


def load_used_features(context: Context, scope: Scope) -> tuple[Feature, ...]:
    """Load the features that this event uses, and no others."""
    used = (registered for registered in context.features if registered.is_used(scope))
    return tuple(cast(Feature, registered.load()) for registered in used)
