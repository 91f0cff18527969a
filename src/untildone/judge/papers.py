"""What is left in the repository for people and the agent to read: `.untildone/`."""

import shutil
from pathlib import Path

from untildone.judge.context import Context
from untildone.loop.feedback import TASK_BEGINNING
from untildone.loop.model import Contract, Evidence
from untildone.report.receipt import as_json, as_text, receipt
from untildone.store.loops import Record

_LOGS_KEPT = 5


def folder(project: Path) -> Path | None:
    """Made where needed; nothing where a repository has put a link or a file in its place."""
    papers = project / ".untildone"
    try:
        if papers.is_symlink():
            return None
        papers.mkdir(exist_ok=True)
        ignore = papers / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError:
        return None
    return papers


def log_folder(project: Path, loop: str, number: int) -> Path | None:
    papers = folder(project)
    if papers is None:
        return None
    logs = papers / "rounds" / loop
    try:
        (logs / str(number)).mkdir(parents=True, exist_ok=True)
        for old in sorted(logs.iterdir(), key=lambda path: path.stat().st_mtime)[:-_LOGS_KEPT]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return None
    return logs / str(number)


def write_task(project: Path, contract: Contract) -> None:
    """A task that may be too long to be repeated whole stands here whole."""
    papers = folder(project) if len(contract.task) > TASK_BEGINNING else None
    if papers:
        path = papers / f"task-{contract.id}.md"
        path.write_bytes(contract.task.encode("utf-8", "surrogateescape"))


def publish(context: Context, record: Record, evidence: Evidence, *, project: Path) -> None:
    """The receipt, kept with the loop and shown in the project."""
    paper = receipt(record, evidence, context.loops.rounds(record.contract.id), at=context.now())
    places = [context.loops.folder(record.contract.id)]
    shown = folder(project)
    if shown:
        places.append(shown)
    for place in places:
        (place / "receipt.json").write_bytes(as_json(paper))
        (place / "receipt.md").write_text(as_text(paper), encoding="utf-8", errors="replace")
