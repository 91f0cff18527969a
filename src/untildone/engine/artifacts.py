"""What is left in the repository for people and the agent to read: `.untildone/`."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from untildone.core.contract import Contract
from untildone.core.evidence import Evidence
from untildone.core.feedback import TASK_BEGINNING
from untildone.core.progress import Round
from untildone.engine.context import Context
from untildone.report.receipt import Receipt, ReceiptConcern, build_receipt
from untildone.report.receipt_text import encode_receipt, render_receipt
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record

_LOGS_KEPT = 5


def open_artifact_folder(project: Path) -> Path | None:
    """Made where needed; nothing where a repository has put a link or a file in its place."""
    papers = project / ".untildone"
    try:
        if papers.is_symlink():
            return None
        papers.mkdir(exist_ok=True)
        ignore = papers / ".gitignore"
        if not os.path.lexists(ignore):
            ignore.write_text("*\n", encoding="utf-8")
    except OSError:
        return None
    return papers


def make_log_folder(project: Path, loop: str, number: int) -> Path | None:
    papers = open_artifact_folder(project)
    if papers is None:
        return None
    logs = papers / "rounds" / loop
    try:
        if logs.parent.is_symlink():
            return None
        (logs / str(number)).mkdir(parents=True, exist_ok=True)
        for old in sorted(logs.iterdir(), key=lambda path: path.stat().st_mtime)[:-_LOGS_KEPT]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return None
    return logs / str(number)


def write_task(project: Path, contract: Contract) -> None:
    """A task that may be too long to be repeated whole stands here whole."""
    papers = open_artifact_folder(project) if len(contract.task) > TASK_BEGINNING else None
    if papers:
        path = papers / f"task-{contract.id}.md"
        path.write_bytes(contract.task.encode("utf-8", "surrogateescape"))


def publish_receipt(context: Context, record: Record, evidence: Evidence, *, project: Path) -> None:
    """The receipt, kept with the loop and shown in the project."""
    paper = make_receipt(context, record, evidence, project=project, at=context.now())
    _write_receipt(context.loops.get_folder(record.contract.id), paper)
    shown = open_artifact_folder(project)
    if shown:
        # A copy for people: that it cannot be left changes nothing of the verdict.
        with suppress(OSError):
            _write_receipt(shown, paper)


def make_receipt(
    context: Context, record: Record, evidence: Evidence, *, project: Path, at: str
) -> Receipt:
    """The receipt as of now; where the user is asked for approval, with the diffs in question."""
    asked: tuple[ReceiptConcern, ...] = ()
    if record.progress.outcome == "needs-approval":
        # Imported where it is used: hardly any loop pauses for this.
        from untildone.engine.concern_diffs import load_concern_diffs

        asked = load_concern_diffs(context, record, evidence.concerns or (), project=project)
    rounds = context.loops.read_rounds(record.contract.id)
    return build_receipt(record, evidence, rounds, at=at, concerns=asked)


def load_last_evidence(rounds: tuple[Round, ...]) -> Evidence:
    """What the last judged stop knew, as far as it is kept."""
    if not rounds:
        return Evidence()
    last = rounds[-1]
    return Evidence(
        checks=last.checks, concerns=last.concerns, comparisons=last.comparisons, tree=last.tree
    )


def _write_receipt(place: Path, paper: Receipt) -> None:
    """Moved over what is there: a link that a repository brought is replaced, not followed."""
    write_atomically(place / "receipt.json", encode_receipt(paper), keep_previous=False)
    text = render_receipt(paper).encode("utf-8", "replace")
    write_atomically(place / "receipt.md", text, keep_previous=False)
