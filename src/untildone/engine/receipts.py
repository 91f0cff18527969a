"""Writes the receipt of a loop, which says how it ended and what proves it.

It is `receipt.json` and `receipt.md`, in the loop's folder and in the project's `.untildone/`. For
a CI pipeline JUnit and SARIF files are added.
"""

import json
from contextlib import suppress
from pathlib import Path

from untildone.core.evidence import Evidence
from untildone.core.progress import Round
from untildone.engine.artifacts import open_artifact_folder
from untildone.engine.context import Context
from untildone.report.receipt import Receipt, ReceiptConcern, build_receipt
from untildone.report.receipt_text import encode_receipt, render_receipt
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record


def publish_receipt(context: Context, record: Record, evidence: Evidence, *, project: Path) -> None:
    """Write the receipt to the loop's folder and to the project."""
    receipt = make_receipt(context, record, evidence, project=project, at=context.now())
    _write_files(context.loops.get_folder(record.contract.id), _render(receipt))
    folder = open_artifact_folder(project)
    if folder:
        # This is a copy for people to read: an error here must not change the verdict.
        with suppress(OSError):
            _write_files(folder, _render(receipt))


def make_receipt(
    context: Context, record: Record, evidence: Evidence, *, project: Path, at: str
) -> Receipt:
    """Return the receipt; if the loop waits for approval, with the diffs to approve."""
    open_concerns: tuple[ReceiptConcern, ...] = ()
    if record.progress.outcome == "needs-approval":
        # Imported where it is used: hardly any loop pauses for this.
        from untildone.engine.concern_diffs import load_concern_diffs

        open_concerns = load_concern_diffs(
            context, record, evidence.concerns or (), project=project
        )
    rounds = context.loops.read_rounds(record.contract.id)
    return build_receipt(record, evidence, rounds, at=at, concerns=open_concerns)


def load_last_evidence(rounds: tuple[Round, ...]) -> Evidence:
    """Return the evidence of the last round, as far as the journal has it."""
    if not rounds:
        return Evidence()
    last = rounds[-1]
    return Evidence(
        checks=last.checks, concerns=last.concerns, comparisons=last.comparisons, tree=last.tree
    )


def write_ci_reports(context: Context, record: Record, folder: Path) -> Path:
    """Write the receipt, and the last checks as JUnit and SARIF, to `folder`/LOOP; return that."""
    # Imported where it is used: no hook writes these.
    from untildone.report.exports import build_sarif, render_junit

    loop, project = record.contract.id, Path(record.contract.project)
    evidence = load_last_evidence(context.loops.read_rounds(loop))
    at = record.progress.updated_at
    receipt = make_receipt(context, record, evidence, project=project, at=at)
    reports = {
        "junit.xml": render_junit(evidence.checks).encode("utf-8", "replace"),
        "findings.sarif": json.dumps(build_sarif(evidence.checks), indent=2).encode(),
    }
    (folder / loop).mkdir(parents=True, exist_ok=True)
    _write_files(folder / loop, _render(receipt) | reports)
    return folder / loop


def _render(receipt: Receipt) -> dict[str, bytes]:
    """Return the contents of the receipt's files by their names."""
    text = render_receipt(receipt).encode("utf-8", "replace")
    return {"receipt.json": encode_receipt(receipt), "receipt.md": text}


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write the files; a symbolic link in a file's place is replaced, not followed."""
    for name, data in files.items():
        write_atomically(folder / name, data, keep_previous=False)
