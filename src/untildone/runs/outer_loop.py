"""The outer loop of a headless run: call the agent, judge its return, call it again."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.agents.headless import ClientFault
from untildone.core.progress import Progress
from untildone.core.transitions import end_loop
from untildone.core.verdict import INTERRUPTED_BY_USER, OUTCOMES, Continue, Finish, Pause
from untildone.engine import verbs
from untildone.engine.active_time import count_time, read_clock
from untildone.engine.context import Context
from untildone.engine.session_events import write_reminder
from untildone.engine.speaker import explain_ignored
from untildone.engine.stop import judge_return
from untildone.engine.stopped_loop import Answer
from untildone.errors import UserError
from untildone.process.runner import end_runs_on_signal
from untildone.runs.client_call import Return, Show
from untildone.runs.conversation import Conversation
from untildone.runs.limit_times import parse_limit_end
from untildone.runs.run_events import Ended, Judged, Started, Waiting
from untildone.runs.stop_request import catch_first_interrupt
from untildone.store.lock import LockTimeoutError, hold_lock
from untildone.store.loops import Record

# Fraction of the context window after which a new conversation is better.
_FULL = 0.6
# A client's clock and ours may differ a little.
_MARGIN = 5.0
_LONGEST_WAIT = 8 * 24 * 3_600.0


class RetryDelays(Struct, frozen=True, kw_only=True):
    """Seconds before each retry: after a failure, and at a limit with an unknown end."""

    tries: Sequence[float] = (2, 15, 60)
    limit: Sequence[float] = (60, 120, 300, 600, 900, 1_800)


def drive(context: Context, loop: str, *, show: Show, delays: RetryDelays | None = None) -> Ended:
    """Run until the loop is finished or paused; after an interruption it can be resumed."""
    reason = explain_ignored(context.agent, context.environ)
    if reason:
        raise UserError(f"nothing would be judged: {reason}", hint="unset the variable")
    with ExitStack() as locks, end_runs_on_signal():
        locks.enter_context(_lock_run(context, loop))
        run = _Run(Conversation(context, loop, show), show, delays or RetryDelays(), locks)
        record = _run_or_pause(run)
    ended = _make_ended_event(context, record, run)
    show(ended)
    return ended


def _run_or_pause(run: "_Run") -> Record:
    """Run to the end; an interruption pauses the loop and, if repeated, ends this process."""
    try:
        with catch_first_interrupt(run.conversation.stop_request):
            return run.run_to_end()
    except (KeyboardInterrupt, SystemExit, BrokenPipeError) as interruption:
        # A second interruption ends this process; this was the first.
        if run.conversation.stop_request.asked or not isinstance(interruption, KeyboardInterrupt):
            run.pause("interrupted")
            raise
        return run.pause(INTERRUPTED_BY_USER)
    finally:
        run.conversation.end_driving()


@contextmanager
def _lock_run(context: Context, loop: str) -> Iterator[None]:
    with ExitStack() as lock:
        try:
            path = context.loops.get_folder(loop) / "driving.lock"
            lock.enter_context(hold_lock(path, timeout=0))
        except LockTimeoutError:
            raise UserError(
                f"loop `{loop}` is running already",
                hint=f"`untildone pause {loop}` stops that run",
            ) from None
        yield


def _make_ended_event(context: Context, record: Record, run: "_Run") -> Ended:
    progress, loop = record.progress, record.contract.id
    outcome = OUTCOMES[progress.outcome or "unverified"]
    receipt = context.loops.get_folder(loop) / "receipt.md"
    return Ended(
        loop=loop,
        session=context.session_of(record).id,
        status=progress.status,
        outcome=progress.outcome,
        reason=progress.reason,
        rounds=progress.round,
        spend_usd=progress.spend_usd,
        exit_code=outcome.exit_code,
        resume=f"untildone continue {loop}" if outcome.resume else "",
        receipt=str(receipt) if receipt.exists() else "",
        fault=run.fault,
        limit_seconds=round(run.limit_seconds, 1),
    )


class _Run:
    """One run; `locks` holds the lock of each loop that it drives."""

    def __init__(
        self, conversation: Conversation, show: Show, delays: RetryDelays, locks: ExitStack
    ) -> None:
        self.conversation = conversation
        self._show = show
        self._delays = delays
        self._locks = locks
        self._denied_before = False
        self.fault: ClientFault | None = None
        self.limit_seconds = 0.0

    def run_to_end(self) -> Record:
        """Call and judge until the loop is no longer active."""
        conversation = self.conversation
        self._begin_loop()
        prompt = write_reminder(conversation.record)
        if conversation.memory.options.mode == "fresh" and conversation.memory.begun:
            prompt = conversation.start_new_session(prompt)
        while conversation.active:
            returned = self._call_until_return(prompt)
            if returned is None or returned.interrupted:
                # By Ctrl-C, unless the loop was ended or paused elsewhere.
                self.pause(INTERRUPTED_BY_USER)
                continue
            # Nothing was done, so there is nothing to judge.
            answer = None if returned.fault and not returned.tools else self._judge_return(returned)
            self._give_up_on_fault(returned)
            if answer and conversation.active:
                prompt = self._make_next_prompt(answer, returned)
            elif answer and self._is_stuck_with_successor():
                reason = conversation.record.progress.reason
                verbs.resume(conversation.context, conversation.loop)
                prompt = conversation.hand_over(answer.feedback, reason)
        return conversation.record

    def _is_stuck_with_successor(self) -> bool:
        """Say whether the loop stagnated and another agent can try."""
        progress = self.conversation.record.progress
        return progress.outcome == "stagnated" and bool(self.conversation.memory.options.successors)

    def pause(self, reason: str) -> Record:
        return self._end(Pause(outcome="paused", reason=reason))

    def _end(self, verdict: Pause) -> Record:
        if self.conversation.reload().progress.status == "active":
            self.conversation.record = verbs.end(
                self.conversation.context, self.conversation.loop, verdict
            )
        return self.conversation.record

    def _begin_loop(self) -> None:
        """Take the loop's session and show that it started."""
        conversation = self.conversation
        contract, bounds = conversation.record.contract, conversation.bounds
        conversation.begin_driving()
        self._show(
            Started(
                loop=conversation.loop,
                session=conversation.session,
                agent=contract.agent,
                project=contract.project,
                task=contract.task,
                checks=tuple(check.command for check in contract.checks),
                rounds=conversation.record.progress.round,
                max_rounds=bounds.rounds,
                budget_usd=bounds.budget_usd,
            )
        )

    def _make_next_prompt(self, answer: Answer, returned: Return) -> str:
        """Return the feedback, for a new conversation with a note; pause without a verdict."""
        if not isinstance(answer.verdict, Continue):
            self.pause("nobody judged the agent's return")
        mode = self.conversation.memory.options.mode
        if mode == "fresh" or (mode == "auto" and returned.fill > _FULL):
            return self.conversation.start_new_session(answer.feedback)
        return answer.feedback

    def _call_until_return(self, prompt: str) -> Return | None:
        """Call the client with retries and waits; None if the user stopped it."""
        tries, limits = list(self._delays.tries), list(self._delays.limit)
        while True:
            returned = self.conversation.ask(prompt)
            match returned.fault:
                case None | "authentication" | "billing" | "refused" | "missing":
                    return returned
                case "limit" if self.conversation.memory.options.successors:
                    prompt = self.conversation.hand_over(prompt, returned.reason)
                    continue
                case "limit":
                    seconds = self._compute_wait(returned, limits)
                case _:
                    seconds = tries.pop(0) if tries else None
            if seconds is None:
                return returned
            if returned.fault == "lost":
                prompt = self.conversation.start_new_session(prompt)
            elif not self._wait(returned, seconds):
                return None

    def _compute_wait(self, returned: Return, limits: list[float]) -> float | None:
        """Return the seconds until the usage limit ends; None if the run should not wait for it."""
        if not self.conversation.memory.options.wait:
            return None
        seconds = self._measure_limit(returned)
        if seconds:
            return seconds
        return limits.pop(0) if limits else None

    def _measure_limit(self, returned: Return) -> float:
        """Return how long the usage limit lasts; 0 if that is unknown."""
        now = self.conversation.context.clock()
        local = datetime.fromtimestamp(now, UTC).astimezone()
        seconds = (returned.until or parse_limit_end(returned.reason, local)) + _MARGIN - now
        return seconds if 0 < seconds < _LONGEST_WAIT else 0

    def _wait(self, returned: Return, seconds: float) -> bool:
        """Wait, at no cost to the loop's minutes; return False if the user stopped the run."""
        conversation = self.conversation
        until = datetime.fromtimestamp(conversation.context.clock() + seconds, UTC)
        self._show(
            Waiting(
                fault=returned.fault or "crashed",
                reason=returned.reason,
                until=until.isoformat(timespec="seconds"),
                seconds=round(seconds, 1),
            )
        )

        def stop_clock(record: Record) -> Progress:
            return count_time(record.progress, conversation.context.session_of(record))

        def start_clock(record: Record) -> Progress:
            return replace(record.progress, clock=read_clock())

        verbs.change_loop(conversation.context, conversation.loop, stop_clock, kind="waiting")
        waited = conversation.stop_request.pause_until(
            until.timestamp(), conversation.context.clock
        )
        conversation.record = verbs.change_loop(
            conversation.context, conversation.loop, start_clock, kind="waited"
        )
        return waited

    def _judge_return(self, returned: Return) -> Answer | None:
        """Judge the agent's return like a stop; go on with the next loop if one follows."""
        conversation = self.conversation
        stop = Stop(
            session=conversation.session,
            cwd=conversation.record.contract.project,
            project=conversation.record.contract.project,
            message=returned.message,
            transcript=conversation.find_transcript(),
            attended=False,
            spent_usd=conversation.memory.spent,
        )
        answer = judge_return(conversation.context, stop)
        conversation.record = self._load_judged_loop(answer)
        if conversation.context.loops.get_folder(conversation.loop).exists():
            conversation.mark_judged()
        progress = conversation.record.progress
        if answer:
            self._show(
                Judged(
                    round=progress.round,
                    verdict=answer.verdict,
                    unmet=progress.unmet or (),
                    notice=answer.notice,
                    spend_usd=progress.spend_usd,
                )
            )
        if progress.followed_by:
            self._locks.enter_context(_lock_run(conversation.context, progress.followed_by))
            conversation.follow(progress.followed_by)
            self._begin_loop()
        return answer

    def _load_judged_loop(self, answer: Answer | None) -> Record:
        """Return the loop after a verdict; if its end removed its state, as that would be."""
        record = self.conversation.record
        if answer and isinstance(answer.verdict, Finish) and record.contract.clean:
            progress = replace(record.progress, round=record.progress.round + 1)
            return replace(record, progress=end_loop(progress, answer.verdict))
        return self.conversation.reload()

    def _give_up_on_fault(self, returned: Return) -> None:
        """Pause the loop because of a failure that another round would not fix."""
        denied = ", ".join(dict.fromkeys(returned.denied))
        denied_before, self._denied_before = self._denied_before, bool(denied)
        if not self.conversation.active:
            return
        fault, reason = returned.fault, returned.reason
        is_stuck = denied_before and self.conversation.record.progress.stale_rounds
        if not fault and denied and is_stuck:
            fault, reason = "denied", f"the client has no permission for {denied}"
        if not fault:
            return
        self.fault = fault
        if fault == "limit":
            self.limit_seconds = self._measure_limit(returned)
            self.pause(f"usage limit: {reason}")
            return
        remedy = self.conversation.context.agent.load_headless().REMEDIES[fault]
        self._end(Pause(outcome="blocked", reason=f"{fault}: {reason}; {remedy}"))
