"""`run --plan`: ready tasks at once, as many as wanted, until all are merged or none can go on."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress

from msgspec.structs import replace

from untildone.core.verdict import OUTCOMES, Outcome
from untildone.engine import verbs
from untildone.errors import UserError
from untildone.process import ending_with_us, quoted
from untildone.process.orphans import end_marked
from untildone.runs import memory
from untildone.runs.plan import worktrees
from untildone.runs.plan.assignment import checked
from untildone.runs.plan.happenings import PlanEnded, PlanStarted, TaskSummary
from untildone.runs.plan.journal import Course, Log
from untildone.runs.plan.schedule import left, ready
from untildone.runs.plan.setting import Setting, notices, settled, tracked
from untildone.runs.plan.task import Desk, Show, TaskRun, forget
from untildone.runs.stopping import Stopping, first_interrupt
from untildone.store.home import prepare_home
from untildone.store.lock import LockTimeoutError, hold_lock

# What we start has it: after a crash its processes are found by it.
_MARK = "UNTILDONE_PLAN"
_LOOK_SECONDS = 0.2
# Not of one task: crashing, and what it may not use, may be due to that.
_OF_THE_CLIENT = ("limit", "authentication", "billing", "refused", "network", "missing")
_ELSEWHERE = (
    "it is in progress elsewhere; if nobody works on it, `untildone plan set-status {} not_started`"
)


def run_plan(setting: Setting, show: Show) -> PlanEnded:
    """Called again it goes on where it was, whatever ended it."""
    began = time.monotonic()
    prepare_home(setting.context.home)
    setting.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(setting), ending_with_us():
        environ = {**setting.context.environ, _MARK: setting.folder.name}
        setting = replace(setting, context=replace(setting.context, environ=environ))
        log = Log(setting.folder, setting.context.now)
        settled(setting, log)
        setting = replace(setting, tracked=tracked(setting))
        stop = Stopping()
        run = _PlanRun(Desk(setting, log, show, stop))
        with first_interrupt(stop):
            run.to_its_end()
        ended = run.ended(time.monotonic() - began)
    show("", ended)
    return ended


@contextmanager
def _alone(setting: Setting) -> Iterator[None]:
    with ExitStack() as held:
        try:
            held.enter_context(hold_lock(setting.folder / "run.lock", timeout=0))
        except LockTimeoutError:
            raise UserError(
                f"`{setting.path}` is being run already", hint="wait for that run, or end it"
            ) from None
        mark, before = setting.folder.name, os.environ.get(_MARK)
        end_marked(_MARK, mark)
        os.environ[_MARK] = mark
        try:
            yield
        finally:
            os.environ.pop(_MARK) if before is None else os.environ.update({_MARK: before})


class _PlanRun:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._setting = desk.setting
        self._log = desk.log
        self._tasks = desk.setting.plan.tasks
        self._working: dict[Future[Course], str] = {}
        # In the order in which they gave up.
        self._given_up: dict[str, Course] = {}
        self._errors: list[BaseException] = []
        self._red: tuple[str, ...] = ()

    def to_its_end(self) -> None:
        self._introduce()
        for name, task in self._tasks.items():
            if task.status == "in_progress" and self._log.of(name).step == "waiting":
                reason = _ELSEWHERE.format(quoted(name))
                self._given_up[name] = Course(step="ended", outcome="blocked", reason=reason)
        with ThreadPoolExecutor(max_workers=self._setting.jobs) as pool:
            try:
                while self._begun(pool) or self._working:
                    self._look()
            except BaseException:
                self._desk.stop.set()
                self._pause()
                raise
        if self._errors:
            raise self._errors[0]
        if not self._left() and not self._desk.stop.is_set():
            self._whole()

    def _left(self) -> tuple[str, ...]:
        return left(self._tasks, finished=self._log.merged())

    def _introduce(self) -> None:
        setting = self._setting
        self._desk.show(
            "",
            PlanStarted(
                plan=str(setting.path),
                feature=setting.feature,
                branch=setting.branch if setting.git else "",
                base=self._log.base,
                jobs=setting.jobs,
                tasks=self._left(),
                notices=notices(setting),
            ),
        )

    def _begun(self, pool: ThreadPoolExecutor) -> bool:
        """Whether another task could be taken up."""
        if self._desk.stop.is_set() or self._clientless():
            return False
        taken = {*self._working.values(), *self._given_up}
        free = self._setting.jobs - len(self._working)
        names = ready(self._tasks, finished=self._log.merged(), taken=taken)[:free]
        for name in names:
            self._working[pool.submit(TaskRun(self._desk, name).to_its_end)] = name
        return bool(names)

    def _clientless(self) -> bool:
        """The next task would fare no better."""
        return any(course.fault in _OF_THE_CLIENT for course in self._given_up.values())

    def _look(self) -> None:
        done, _ = wait(self._working, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            name = self._working.pop(future)
            error = future.exception()
            if error:
                # The others come to rest before it is told.
                self._errors.append(error)
                self._desk.stop.set()
            elif future.result().step != "merged":
                self._given_up[name] = future.result()
        if self._desk.stop.is_set():
            self._pause()

    def _pause(self) -> None:
        """The agents at work are ended gently; their loops go on another day."""
        for name in self._working.values():
            for loop in self._log.of(name).loops[-1:]:
                with suppress(UserError):
                    verbs.pause(self._setting.context, loop)

    def _whole(self) -> None:
        """Every check of every task, where the last one was merged."""
        setting, git = self._setting, self._setting.git
        last = next(reversed(self._log.merged()), "whole")
        place = setting.place(last)
        if git and not place.exists():
            tip = git.ask("rev-parse", f"refs/heads/{setting.branch}")
            git.ask("worktree", "prune")
            setting.worktree(last).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            worktrees.check_out(git, setting.worktree(last), "--detach", commit=tip)
        results = checked(setting, place, self._tasks)
        self._red = tuple(result.name for result in results if not result.green)
        if git and not self._red:
            worktrees.remove(git, setting.worktree("whole"))
            for name in self._log.merged():
                if setting.worktree(name).exists():
                    forget(setting, name)
            for folder in (setting.worktrees, setting.worktrees.parent):
                # Other plans may have theirs there.
                with suppress(OSError):
                    folder.rmdir()

    def ended(self, seconds: float) -> PlanEnded:
        outcome, reason = self._outcome()
        setting, git = self._setting, self._setting.git
        return PlanEnded(
            outcome=outcome,
            reason=reason,
            exit_code=OUTCOMES[outcome].exit_code,
            branch=setting.branch if git else "",
            commit=git.ask("rev-parse", f"refs/heads/{setting.branch}") if git else "",
            red=self._red,
            seconds=round(seconds, 1),
            tasks=tuple(self._summary(name) for name in self._tasks),
        )

    def _outcome(self) -> tuple[Outcome, str]:
        for name, course in self._given_up.items():
            return course.outcome or "paused", f"{name}: {course.reason or 'interrupted'}"
        if self._desk.stop.is_set():
            return "paused", "interrupted by the person"
        if self._red:
            return "unverified", f"the whole feature is red: {', '.join(self._red)}"
        words = [name for name in self._log.merged() if self._log.of(name).outcome == "claimed"]
        if words:
            return "claimed", f"every task is merged; by words alone: {', '.join(words)}"
        return "done", "every task is verified and merged, and the whole feature is green"

    def _summary(self, name: str) -> TaskSummary:
        context, task = self._setting.context, self._tasks[name]
        course = self._given_up.get(name) or self._log.of(name)
        progress = [context.loops.load(loop).progress for loop in course.loops]
        books = [memory.read(context, loop) for loop in course.loops]
        spent = [each.spend_usd for each in progress if each.spend_usd is not None]
        return TaskSummary(
            id=name,
            title=task.title,
            step="merged" if task.status == "completed" else course.step,
            outcome=course.outcome,
            reason=course.reason,
            rounds=sum(each.round for each in progress),
            calls=sum(each.calls for each in books if each),
            spend_usd=sum(spent) if spent else None,
            seconds=round(sum(each.active_seconds for each in progress), 1),
            loop=next(reversed(course.loops), ""),
            fault=course.fault,
        )
