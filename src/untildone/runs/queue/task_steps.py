"""The steps of a queued task: fetch, work, verify, push; each is recorded and can be repeated."""

import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.agents.headless import RunEvent
from untildone.checks.parallel_run import RunOptions as CheckOptions
from untildone.checks.parallel_run import run_checks
from untildone.core.text import shorten, to_one_line
from untildone.core.verdict import Finish, Verdict
from untildone.engine import verbs
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.start_options import build_request
from untildone.errors import UserError
from untildone.runs import run_memory
from untildone.runs.outer_loop import drive
from untildone.runs.queue.checkpoints import (
    add_spend,
    continue_request,
    push_checkpoint,
    restore_checkpoint,
)
from untildone.runs.queue.configuration_trust import TrustRules, apply_trust
from untildone.runs.queue.deadline_times import explain_passed
from untildone.runs.queue.lease import Lease, LostLease
from untildone.runs.queue.losses import find_full_disk
from untildone.runs.queue.planned_tasks import add_plan_terms
from untildone.runs.queue.redaction import redact
from untildone.runs.queue.repositories import Push, Repository, TransferError
from untildone.runs.queue.sent_back import add_evidence
from untildone.runs.queue.submission import refuse_secrets
from untildone.runs.queue.taken_task import TakenTask
from untildone.runs.queue.values import (
    Checkpoint,
    Course,
    get_branch,
    get_receipt_ref,
    get_work_pattern,
    get_work_ref,
)
from untildone.runs.run_events import Ended, Judged
from untildone.runs.run_memory import RunMemory, RunOptions
from untildone.runs.tasks import worktrees
from untildone.runs.tasks.git_answers import OUR_NAME, Git
from untildone.runs.tasks.loop_baseline import record_baseline
from untildone.runs.tasks.merge_evidence import describe_failures
from untildone.runs.tasks.portable_checks import decode_checks, encode_checks
from untildone.runs.tasks.recorded_steps import Step
from untildone.store.loops import Record
from untildone.store.trusted_files import forget_trust_below

_LONGEST_RECEIPT = 200_000
Show = Callable[[str, RunEvent], None]


def is_done(verdict: Verdict) -> bool:
    return isinstance(verdict, Finish) and verdict.outcome in ("done", "claimed")


class Surroundings(Struct, frozen=True, kw_only=True):
    """What a task gets from its worker; `folder` is for its worktrees."""

    context: Context
    lease: Lease
    repository: Repository
    folder: Path
    options: RunOptions
    trust: TrustRules
    show: Show


class TaskSteps:
    def __init__(self, task: TakenTask, around: Surroundings) -> None:
        self._task = task
        self._around = around
        self._context = around.context
        self._repository = around.repository
        self._worktree = around.folder / f"{task.id}-{task.token}"
        self._checkpoint: Checkpoint | None = None
        self._used: Checkpoint | None = None
        # The loop that is driven now; the worker ends it when it stops.
        self.loop = ""

    def list_steps(self) -> tuple[Step[Course], ...]:
        steps = {
            "fetch": self._fetch,
            "work": self._work,
            "verify": self._verify,
            "push": self._push,
        }
        return tuple(
            Step(name=name, run=partial(self._run, name, run)) for name, run in steps.items()
        )

    def _run(self, name: str, run: Callable[[Course], Course], course: Course) -> Course:
        """Run a step if the task is still ours; an error of the user's ends the task."""
        lease = self._around.lease
        lease.insist(lambda: lease.require(self._task))
        try:
            course = self._find_stop(name, course) or run(course)
        except (UserError, OSError) as error:
            loss = find_full_disk(error)
            if loss:
                # Else it would take and end one task after the other.
                lease.give_up(loss)
                raise LostLease from None
            if not isinstance(error, UserError):
                raise
            reason = f"{name}: {error.message}"
            is_curable = isinstance(error, TransferError) and error.is_curable
            fault = "transfer" if is_curable else ""
            course = replace(course, outcome="blocked", reason=self._redact(reason), fault=fault)
        detail = course.reason if course.is_over else ""
        lease.insist(lambda: lease.record(self._task, name, detail=to_one_line(detail)))
        return course

    def _find_stop(self, name: str, course: Course) -> Course | None:
        """Return how the task ends before this step, if it was cancelled or is too late."""
        lease, task = self._around.lease, self._task
        if lease.insist(lambda: lease.list_cancelling([task.id])):
            return replace(course, outcome="cancelled")
        # Work that is done by its deadline is still verified and pushed.
        if name in ("fetch", "work") and lease.insist(lambda: lease.list_overdue([task])):
            return replace(course, outcome="out-of-time", reason=explain_passed(task.deadline_ms))
        return None

    def _fetch(self, course: Course) -> Course:
        self._repository.prepare()
        task, target = self._task, f"refs/heads/{self._task.into}"
        tip = self._repository.find(target) if task.into else ""
        if task.evidence and tip:
            # The commit that it was merged with is part of the target.
            self._repository.bring(target, tip)
            self._bring(task.evidence.onto)
            return replace(course, base=task.evidence.onto)
        if tip and not task.base:
            return replace(course, base=self._repository.bring(target, tip))
        return replace(course, base=self._repository.fetch(task.base or "HEAD"))

    def _work(self, course: Course) -> Course:
        """Run the loop, from the last checkpoint if there is one, and commit what it did."""
        red_before = self._begin_loop(course).progress.checks_seen_red
        ended = drive(self._context, self.loop, show=self._show)
        record = self._context.loops.load(self.loop)
        progress = record.progress
        course = replace(
            course,
            outcome=progress.outcome or "unverified",
            reason=self._redact(progress.reason),
            rounds=progress.round + (self._used.rounds if self._used else 0),
            spend_usd=add_spend(progress.spend_usd, self._used),
            fault=ended.fault or "",
            limit_seconds=ended.limit_seconds,
            checks=encode_checks(record.contract.checks),
            red_before=red_before,
            receipt=self._read_receipt(),
        )
        self._keep_unjudged_work(ended)
        return course if course.is_over else replace(course, commit=self._commit(course))

    def _keep_unjudged_work(self, ended: Ended) -> None:
        """Store what a loop leaves that was cut off in the middle of a round."""
        if not ended.fault and ended.outcome != "out-of-time":
            return
        lease, task = self._around.lease, self._task
        lease.insist(lambda: lease.require(task))
        # Without it the next one begins at the last judged round.
        with suppress(TransferError):
            checkpoint = push_checkpoint(
                self._context,
                self.loop,
                task=task,
                repository=self._repository,
                before=self._used,
                name="rest",
            )
            lease.insist(lambda: lease.record(task, "kept", checkpoint=checkpoint))

    def _begin_loop(self, course: Course) -> Record:
        """Begin the loop at the base commit, so that the baseline is the same for each worker."""
        lease, task = self._around.lease, self._task
        self._make_worktree(course.base)
        note = self._apply_trust()
        checkpoint, is_used = lease.insist(lambda: lease.find_checkpoint(task))
        self._checkpoint, self._used = checkpoint, checkpoint if is_used else None
        request = build_request(
            self._context, task.options, session=str(uuid.uuid4()), project=self._worktree
        )
        if task.plan:
            request = add_plan_terms(self._context, request, task.plan)
        if task.evidence:
            request = add_evidence(request, task.evidence)
        if checkpoint:
            request = continue_request(request, checkpoint, used=self._used)
        try:
            record = begin_loop(self._context, request)
        except UserError as error:
            raise UserError(". ".join(filter(None, (error.message, note)))) from None
        self.loop = record.contract.id
        self._refuse_secrets(record)
        record = record_baseline(self._context, record)
        if checkpoint:
            restore_checkpoint(Git(self._worktree), self._repository, checkpoint)
        memory = RunMemory(options=self._around.options)
        run_memory.write(self._context, self.loop, memory)
        return record

    def _refuse_secrets(self, record: Record) -> None:
        """Refuse checks, also of the configuration, that cannot be recorded as they are."""
        try:
            refuse_secrets((check.name, check.command) for check in record.contract.checks)
        except UserError as error:
            ending = Finish(outcome="cancelled", reason=error.message)
            verbs.end(self._context, self.loop, ending)
            raise

    def _apply_trust(self) -> str:
        """Let the configuration of the base count if it is trusted; return the reason if not."""
        lease, task = self._around.lease, self._task
        applied = apply_trust(
            self._context, self._worktree, vouched=task.configuration, rules=self._around.trust
        )
        if applied.note:
            detail = to_one_line(self._redact(applied.note))
            lease.insist(lambda: lease.record(task, "configuration", detail=detail))
        return "" if applied.is_used else applied.note

    def _make_worktree(self, commit: str) -> None:
        self._repository.prepare()
        self._bring(commit)
        with self._repository.lock():
            worktrees.make_worktree(
                self._repository.git, self._worktree, branch=self._branch, commit=commit
            )

    def _bring(self, commit: str) -> None:
        """Fetch a commit that another worker fetched or made."""
        if not self._repository.has(commit):
            self._repository.fetch(self._find_source(commit))

    def _find_source(self, commit: str) -> str:
        """Return the ref of a checkpoint that has the commit, else the commit itself."""
        lease = self._around.lease
        checkpoint, _ = lease.insist(lambda: lease.find_checkpoint(self._task))
        return checkpoint.ref if checkpoint and checkpoint.commit == commit else commit

    @property
    def _branch(self) -> str:
        """Return the local branch; the cache is shared with other workers of this machine."""
        return f"untildone-task/{self._task.id}-{self._task.token}"

    def _show(self, event: RunEvent) -> None:
        """Show an event; a judged round is stored before the next one begins.

        The last one is stored with the commit that follows at once.
        """
        self._around.show(self._task.id, event)
        if isinstance(event, Judged) and not is_done(event.verdict):
            lease, task = self._around.lease, self._task
            lease.insist(lambda: lease.require(task))
            checkpoint = push_checkpoint(
                self._context,
                self.loop,
                task=task,
                repository=self._repository,
                before=self._used,
            )
            name = f"round {checkpoint.rounds}"
            unmet = to_one_line(self._redact(", ".join(event.unmet)))
            lease.insist(lambda: lease.record(task, name, detail=unmet, checkpoint=checkpoint))

    def _commit(self, course: Course) -> str:
        """Commit the work and push it where another worker finds it."""
        lease, task = self._around.lease, self._task
        headline = to_one_line(task.options.task) or task.id
        commit = worktrees.commit_worktree(
            Git(self._worktree),
            branch=self._branch,
            onto=course.base,
            plan="",
            message=f"{shorten(headline, 70)}\n\nUntildone-Task: {task.id}",
        )
        ref = get_work_ref(task.id, task.token, "end")
        # A worker that was paused would leave a ref that nobody removes.
        lease.insist(lambda: lease.require(task))
        self._repository.push([Push(ref=ref, commit=commit)])
        checkpoint = Checkpoint(
            ref=ref, commit=commit, rounds=course.rounds, spend_usd=course.spend_usd, note=""
        )
        for name in (f"round {course.rounds}", "commit"):
            lease.insist(partial(lease.record, task, name, checkpoint=checkpoint))
        return commit

    def _read_receipt(self) -> str:
        path = self._context.loops.get_folder(self.loop) / "receipt.md"
        text = path.read_text("utf-8", "replace") if path.exists() else ""
        return shorten(self._redact(text), _LONGEST_RECEIPT)

    def _redact(self, text: str) -> str:
        return redact(text, self._context.environ)

    def _verify(self, course: Course) -> Course:
        """Run the checks once more on what was committed, without files that were not."""
        checks = decode_checks(course.checks)
        if not self._worktree.exists():
            self._make_worktree(course.commit)
        git = Git(self._worktree)
        worktrees.unlock(git)
        worktrees.restore_tree(git, f"{course.commit}^{{tree}}")
        results = run_checks(checks, CheckOptions(project=self._worktree))
        if all(result.green for result in results):
            return course
        failures = self._redact(describe_failures(results))
        reason = f"the checks fail on what was committed:\n{failures}"
        return replace(course, outcome="unverified", reason=reason)

    def _push(self, course: Course) -> Course:
        """Push branch and receipt together, once; only a recorded commit ever gets here."""
        task, lease = self._task, self._around.lease
        self._repository.prepare()
        branch, receipt = get_branch(task.id), self._commit_receipt(course)
        pushes = (
            self._make_push(f"refs/heads/{branch}", course.commit, before="branch_commit"),
            self._make_push(get_receipt_ref(task.id), receipt, before="receipt_commit"),
        )
        # A worker that was killed after its push has removed the other refs of the commit.
        has_commit = self._repository.has(course.commit)
        if not has_commit and not self._repository.is_pushed(pushes):
            self._bring(course.commit)
        lease.insist(lambda: lease.require(task))
        # By pattern: a killed worker may have pushed one that it did not record.
        self._repository.push(pushes, removed=get_work_pattern(task.id))
        return replace(course, branch=branch, receipt_commit=receipt)

    def _make_push(self, ref: str, commit: str, *, before: str) -> Push:
        """Return the first push of a ref, or one that replaces what a merge sent back."""
        evidence = self._task.evidence
        if evidence is None:
            return Push(ref=ref, commit=commit, is_new=True)
        return Push(ref=ref, commit=commit, replaces=getattr(evidence, before))

    def _commit_receipt(self, course: Course) -> str:
        """Return a commit with the receipt; equal receipts give equal commits."""
        git, at = self._repository.git, self._task.added_at
        blob = git.ask("hash-object", "-w", "--stdin", stdin=course.receipt.encode())
        tree = git.ask("mktree", stdin=f"100644 blob {blob}\treceipt.md\n".encode())
        dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        message = f"Receipt of {self._task.id}\n\nCommit: {course.commit}"
        return git.ask("commit-tree", tree, "-m", message, env={**OUR_NAME, **dates})

    def remove_worktree(self) -> None:
        forget_trust_below(self._context.home, self._worktree.resolve())
        with self._repository.lock():
            worktrees.remove_worktree(self._repository.git, self._worktree)
            self._repository.git.ask_or_empty("branch", "-D", self._branch)
