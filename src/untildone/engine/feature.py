"""What a feature can add: a function for each moment at which the engine asks.

A feature is a folder of `features/` whose `feature.py` fills in the functions that it needs, and
one line in `features/registry.py`. The engine names none of them.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from untildone.agents.events import Prompt, Stop
from untildone.core.contract import Contract
from untildone.core.evidence import Evidence
from untildone.core.progress import Progress
from untildone.core.verdict import Verdict
from untildone.engine.agent_verbs import AgentVerb
from untildone.engine.context import Context
from untildone.engine.payload import Call
from untildone.engine.request import PromptedLoop, Request, StartOptions
from untildone.engine.scope import Calls, Scope
from untildone.engine.stop_answer import Answer, JudgedStop
from untildone.store.loops import Record
from untildone.store.sessions import Session

if TYPE_CHECKING:
    # Only `doctor` imports it: hooks must not pay for it.
    from untildone.report.doctor import Problem


class StoppedLoop(Struct, frozen=True, kw_only=True):
    """A loop at a stop: `progress` has what the agent reported since the last one."""

    record: Record
    contract: Contract
    progress: Progress
    stop: Stop
    calls: Calls
    # The worktree that the agent works in.
    project: Path


def _no_text(*_: object) -> str:
    return ""


def _no_texts(*_: object) -> tuple[str, ...]:
    return ()


def _nothing(*_: object) -> None:
    return None


def _same_progress(_: Contract, progress: Progress, __: object) -> Progress:
    return progress


def _same_evidence(_: Context, __: StoppedLoop, evidence: Evidence) -> Evidence:
    return evidence


def _same_answer(_: Context, __: Record, ___: JudgedStop, answer: Answer) -> Answer:
    return answer


def _same_contract(_: Context, __: Request, contract: Contract) -> Contract:
    return contract


def _same_request(_: Context, __: StartOptions, request: Request) -> Request:
    return request


def _no_problems(*_: object) -> "Iterator[Problem]":
    return iter(())


class Feature(Struct, frozen=True, kw_only=True):
    # Events

    # the answer to an event that only this feature handles
    answer_event: Callable[[Context, Call], str] = _no_text

    # Starting a loop

    # the request of a prompt whose preset belongs to this feature
    request_from_prompt: Callable[[Context, Prompt, PromptedLoop], Request | None] = _nothing
    # the request with what the options say about this feature
    read_options: Callable[[Context, StartOptions, Request], Request] = _same_request
    # the contract with this feature's criteria; raises UserError where it cannot be kept
    agree: Callable[[Context, Request, Contract], Contract] = _same_contract
    # acts on a loop that was just recorded; returns warnings
    loop_started: Callable[[Context, Record], tuple[str, ...]] = _no_texts
    # lines that the user reads when the loop has started
    describe_start: Callable[[Context, Record], tuple[str, ...]] = _no_texts

    # Prompts

    # the loop that this prompt resumes, if it answers what the loop asked
    resume_by_prompt: Callable[[Context, Record, str], Record | None] = _nothing
    # what the agent should remember at a prompt in a session without a loop
    remind: Callable[[Context, Prompt, Session], str] = _no_text

    # Stops

    # begins or ends a loop before the stop is judged; the answer, where no loop is active then
    before_stop: Callable[[Context, Stop, Session], str] = _no_text
    # the answer to a stop of a session without an active loop
    stop_without_loop: Callable[[Context, Call, Stop], str] = _no_text
    # the progress with what the agent's last message reports
    read_message: Callable[[Contract, Progress, str], Progress] = _same_progress
    # the progress with a verb of the agent that could not record itself
    apply_verb: Callable[[Contract, Progress, AgentVerb], Progress] = _same_progress
    # the evidence with what is known before any check runs
    gather: Callable[[Context, StoppedLoop, Evidence], Evidence] = _same_evidence
    # acts just before the checks run
    before_checks: Callable[[Context, StoppedLoop], None] = _nothing
    # the evidence with what helps an agent that is held; it decides nothing
    explain: Callable[[Context, StoppedLoop, Evidence], Evidence] = _same_evidence
    # tells others about a saved verdict; the flag says whether it counted as a round
    announce: Callable[[Context, Record, Verdict, bool], None] = _nothing
    # the answer to the stop with what this feature adds to it or makes of it
    finish_answer: Callable[[Context, Record, JudgedStop, Answer], Answer] = _same_answer

    # Ends

    # acts on a loop that has ended or paused; returns lines for the user
    loop_ended: Callable[[Context, Record], tuple[str, ...]] = _no_texts
    # brings files outside of the loop's state up to date, once no stop is being judged
    clean_up: Callable[[Context, str], None] = _nothing

    # Reports

    # why the spend of a loop is not known
    explain_spend: Callable[[Context, Record], str] = _no_text
    # what `doctor` should report
    find_problems: "Callable[[Context, Path], Iterator[Problem]]" = _no_problems


def load_used_features(context: Context, scope: Scope) -> tuple[Feature, ...]:
    """Load the features that this event uses, and no others."""
    return tuple(cast(Feature, each.load()) for each in context.features if each.is_used(scope))
