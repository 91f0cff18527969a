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
from untildone.core.verdict import OUTCOMES, Continue, Finish, Pause
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
_BY_USER = "interrupted by you"


class RetryDelays(Struct, frozen=True, kw_only=True):
    """Seconds before each retry: after a failure, and at a limit with an unknown end."""

    tries: Sequence[float] = (2, 15, 60)
    limit: Sequence[float] = (60, 120, 300, 600, 900, 1_800)


def drive(context: Context, loop: str, *, show: Show, pace: RetryDelays | None = None) -> Ended:
    """Run until the loop is finished or paused; after an interruption it can be resumed."""
    why = explain_ignored(context.agent, context.environ)
    if why:
        raise UserError(f"nothing would be judged: {why}", hint="unset the variable")
    with ExitStack() as locks, end_runs_on_signal():
        locks.enter_context(_lock_run(context, loop))
        run = _Run(Conversation(context, loop, show), show, pace or RetryDelays(), locks)
        record = _run_or_pause(run)
    ended = _make_ended_event(context, record, run.fault)
    show(ended)
    return ended


def _run_or_pause(run: "_Run") -> Record:
    try:
        with catch_first_interrupt(run.conversation.stopping):
            return run.run_to_end()
    except (KeyboardInterrupt, SystemExit, BrokenPipeError) as interruption:
        # A second interruption ends this process; this was the first.
        if run.conversation.stopping.asked or not isinstance(interruption, KeyboardInterrupt):
            run.pause("interrupted")
            raise
        return run.pause(_BY_USER)
    finally:
        run.conversation.let_go()


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


def _make_ended_event(context: Context, record: Record, fault: ClientFault | None) -> Ended:
    progress, loop = record.progress, record.contract.id
    how = OUTCOMES[progress.outcome or "unverified"]
    receipt = context.loops.get_folder(loop) / "receipt.md"
    return Ended(
        loop=loop,
        session=context.session_of(record).id,
        status=progress.status,
        outcome=progress.outcome,
        reason=progress.reason,
        rounds=progress.round,
        spend_usd=progress.spend_usd,
        exit_code=how.exit_code,
        resume=f"untildone continue {loop}" if how.resume else "",
        receipt=str(receipt) if receipt.exists() else "",
        fault=fault,
    )


class _Run:
    """`locks` holds the lock of each loop that this run drives."""

    def __init__(
        self, conversation: Conversation, show: Show, pace: RetryDelays, locks: ExitStack
    ) -> None:
        self.conversation = conversation
        self._show = show
        self._pace = pace
        self._locks = locks
        self._denied_before = False
        self.fault: ClientFault | None = None

    def run_to_end(self) -> Record:
        """Call and judge until the loop is no longer active."""
        talk = self.conversation
        self._begin_loop()
        prompt = write_reminder(talk.record)
        if talk.memory.how.mode == "fresh" and talk.memory.begun:
            prompt = talk.begin_anew(prompt)
        while talk.active:
            returned = self._call_until_return(prompt)
            if returned is None or returned.interrupted:
                # By Ctrl-C, unless the loop was ended or paused elsewhere.
                self.pause(_BY_USER)
                continue
            # Nothing was done, so there is nothing to judge.
            answer = None if returned.fault and not returned.tools else self._judge_return(returned)
            self._give_up_on_fault(returned)
            if answer and talk.active:
                prompt = self._next_prompt(answer, returned)
        return talk.record

    def pause(self, reason: str) -> Record:
        return self._end(Pause(outcome="paused", reason=reason))

    def _end(self, verdict: Pause) -> Record:
        talk = self.conversation
        if talk.reload().progress.status == "active":
            talk.record = verbs.end(talk.context, talk.loop, verdict)
        return talk.record

    def _begin_loop(self) -> None:
        """Take the loop's session and show that it started."""
        talk = self.conversation
        contract, bounds = talk.record.contract, talk.bounds
        talk.take()
        self._show(
            Started(
                loop=talk.loop,
                session=talk.session,
                agent=contract.agent,
                project=contract.project,
                task=contract.task,
                checks=tuple(check.command for check in contract.checks),
                rounds=talk.record.progress.round,
                max_rounds=bounds.rounds,
                budget_usd=bounds.budget_usd,
            )
        )

    def _next_prompt(self, answer: Answer, returned: Return) -> str:
        if not isinstance(answer.verdict, Continue):
            self.pause("nobody judged the agent's return")
        mode = self.conversation.memory.how.mode
        if mode == "fresh" or (mode == "auto" and returned.fill > _FULL):
            return self.conversation.begin_anew(answer.feedback)
        return answer.feedback

    def _call_until_return(self, prompt: str) -> Return | None:
        """Call the client with retries and waits; None if the user stopped it."""
        tries, limits = list(self._pace.tries), list(self._pace.limit)
        while True:
            returned = self.conversation.ask(prompt)
            match returned.fault:
                case None | "authentication" | "billing" | "refused" | "missing":
                    return returned
                case "limit":
                    seconds = self._seconds_until_reset(returned, limits)
                case _:
                    seconds = tries.pop(0) if tries else None
            if seconds is None:
                return returned
            if returned.fault == "lost":
                prompt = self.conversation.begin_anew(prompt)
            elif not self._wait(returned, seconds):
                return None

    def _seconds_until_reset(self, returned: Return, limits: list[float]) -> float | None:
        """None if the run should not wait for the end of the usage limit."""
        if not self.conversation.memory.how.wait:
            return None
        now = self.conversation.context.clock()
        local = datetime.fromtimestamp(now, UTC).astimezone()
        left = (returned.until or parse_limit_end(returned.reason, local)) + _MARGIN - now
        if 0 < left < _LONGEST_WAIT:
            return left
        return limits.pop(0) if limits else None

    def _wait(self, returned: Return, seconds: float) -> bool:
        """Wait; False if the user does not want that. The time counts for no bound."""
        talk = self.conversation
        until = datetime.fromtimestamp(talk.context.clock() + seconds, UTC)
        self._show(
            Waiting(
                fault=returned.fault or "crashed",
                reason=returned.reason,
                until=until.isoformat(timespec="seconds"),
                seconds=round(seconds, 1),
            )
        )

        def stop_clock(record: Record) -> Progress:
            return count_time(record.progress, talk.context.session_of(record))

        def start_clock(record: Record) -> Progress:
            return replace(record.progress, clock=read_clock())

        verbs.change_loop(talk.context, talk.loop, stop_clock, kind="waiting")
        waited = talk.stopping.pause_until(until.timestamp(), talk.context.clock)
        talk.record = verbs.change_loop(talk.context, talk.loop, start_clock, kind="waited")
        return waited

    def _judge_return(self, returned: Return) -> Answer | None:
        """Judge the agent's return like a stop; go on with the next loop if one follows."""
        talk = self.conversation
        stop = Stop(
            session=talk.session,
            cwd=talk.record.contract.project,
            project=talk.record.contract.project,
            message=returned.message,
            attended=False,
            spent_usd=talk.memory.spent,
        )
        answer = judge_return(talk.context, stop)
        talk.record = self._load_judged_loop(answer)
        if talk.context.loops.get_folder(talk.loop).exists():
            talk.mark_judged()
        progress = talk.record.progress
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
            self._locks.enter_context(_lock_run(talk.context, progress.followed_by))
            talk.follow(progress.followed_by)
            self._begin_loop()
        return answer

    def _load_judged_loop(self, answer: Answer | None) -> Record:
        """The loop after a verdict; if its state was removed at its end, as it would be."""
        record = self.conversation.record
        if answer and isinstance(answer.verdict, Finish) and record.contract.clean:
            progress = replace(record.progress, round=record.progress.round + 1)
            return replace(record, progress=end_loop(progress, answer.verdict))
        return self.conversation.reload()

    def _give_up_on_fault(self, returned: Return) -> None:
        """Pause the loop because of a failure that another round would not fix."""
        talk = self.conversation
        denied = ", ".join(dict.fromkeys(returned.denied))
        again, self._denied_before = self._denied_before, bool(denied)
        if not talk.active:
            return
        fault, reason = returned.fault, returned.reason
        if not fault and denied and again and talk.record.progress.stale_rounds:
            fault, reason = "denied", f"the client has no permission for {denied}"
        if not fault:
            return
        self.fault = fault
        if fault == "limit":
            self.pause(f"usage limit: {reason}")
            return
        remedy = talk.context.agent.load_headless().REMEDIES[fault]
        self._end(Pause(outcome="blocked", reason=f"{fault}: {reason}; {remedy}"))
