"""A loop's conversation with its agent: session, prompts, costs."""

import os
import uuid
from pathlib import Path

from msgspec.structs import replace

from untildone.agents.headless import ClientCall
from untildone.core.contract import Bounds
from untildone.engine.context import Context
from untildone.engine.verbs import move_loop
from untildone.process.command import parse_argv
from untildone.runs import memory
from untildone.runs.client_call import CallSettings, Limits, Return, Show, call
from untildone.runs.events import Asked
from untildone.runs.handover_note import write_note
from untildone.runs.memory import RunMemory
from untildone.runs.stop_request import StopRequest
from untildone.store.loops import Record

_LEAST_BUDGET = 0.01
# A little more, so that the minutes are used up when the return is judged.
_PAST_THE_END = 0.1


class Conversation:
    def __init__(self, context: Context, loop: str, show: Show) -> None:
        self.context = context
        self.loop = loop
        self.stopping = StopRequest()
        self.record = context.loops.load(loop)
        self.book = memory.read(context, loop) or RunMemory()
        self._show = show

    @property
    def session(self) -> str:
        return self.context.session_of(self.record).id

    @property
    def active(self) -> bool:
        return self.record.progress.status == "active"

    @property
    def bounds(self) -> Bounds:
        return self.record.agreed.bounds

    def reload(self) -> Record:
        self.record = self.context.loops.load(self.loop)
        return self.record

    def take(self) -> None:
        """Mark the session as driven by this run, so that its hooks do not judge stops."""
        session = self.context.session_of(self.record)
        session.write("driver", str(os.getpid()))
        project = self.record.contract.project
        known = {"project": project, "cwd": project, "process": str(os.getpid())}
        session.write_json("session.json", dict(known))
        session.remove("ended.json")
        self.stopping.watch(session)

    def let_go(self) -> None:
        self.context.session_of(self.record).remove("driver")

    def begin_anew(self, told: str) -> str:
        """Start a new session and return the note for the agent."""
        self.let_go()
        self.record = move_loop(self.context, self.record, str(uuid.uuid4()))
        known = self.book
        before = known.spent_before + (known.spent_here or 0)
        self._keep(replace(known, begun=False, spent_before=before, spent_here=None))
        self.take()
        rounds = self.context.loops.read_rounds(self.loop)
        return write_note(told, self.record.progress, rounds)

    def follow(self, loop: str) -> None:
        """Continue with the next loop; the costs so far belong to the first one."""
        self.loop = loop
        self._keep(replace(self.book, spent_before=-(self.book.spent_here or 0)))
        self.reload()

    def asked(self, prompt: str) -> Return:
        begun, number = self.book.begun, self.record.progress.round + 1
        if self.book.returned and self.book.round == number:
            # We crashed between the client's return and our verdict.
            return self.book.returned
        self._show(
            Asked(
                round=number,
                session=self.session,
                conversation="resumed" if begun else "new",
            )
        )
        ask = ClientCall(
            session=self.session,
            begun=begun,
            budget_usd=self._money_left(),
            arguments=self.book.how.arguments,
        )
        self._keep(replace(self.book, begun=True))
        limits = Limits(stop=self.stopping, seconds=self._time_left())
        returned = call(self._place(), ask, prompt, limits=limits, show=self._show)
        self._keep(replace(_with_notes(self.book, returned), round=number))
        return returned

    def judged(self) -> None:
        """Record that the client's return has been judged."""
        if self.book.returned:
            self._keep(replace(self.book, returned=None))

    def _keep(self, known: RunMemory) -> None:
        self.book = known
        memory.write(self.context, self.loop, known)

    def _place(self) -> CallSettings:
        client, given = self.context.agent.load_headless(), self.book.how.client
        return CallSettings(
            client=client,
            command=tuple(parse_argv(given)) if given else (client.PROGRAM,),
            project=Path(self.record.contract.project),
            environ=self.context.environ,
        )

    def _money_left(self) -> float:
        budget = self.bounds.budget_usd
        return max(budget - (self.book.spent or 0), _LEAST_BUDGET) if budget else 0

    def _time_left(self) -> float | None:
        progress, bounds = self.record.progress, self.bounds
        pairs = (
            (bounds.minutes, progress.active_seconds),
            (bounds.round_minutes, progress.round_seconds),
        )
        left = [60 * minutes - used for minutes, used in pairs if minutes]
        return max(min(left), 0) + _PAST_THE_END if left else None


def _with_notes(known: RunMemory, returned: Return) -> RunMemory:
    if returned.cost_usd is not None:
        known = replace(known, spent_here=max(returned.cost_usd, known.spent_here or 0))
    if returned.fault or returned.interrupted:
        return known
    return replace(known, calls=known.calls + 1, returned=returned)
