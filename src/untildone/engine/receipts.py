"""The receipt of a loop: what was agreed, what was checked, how it ended.

It is a function of what the store has of the loop: the receipt that is published when a loop ends
and the one that `show` builds later are the same. It is written as `receipt.json` and `receipt.md`,
to the loop's folder and to the project's `.untildone/`. For a CI pipeline JUnit and SARIF files are
added.
"""

import json
from contextlib import suppress
from pathlib import Path

from untildone.engine.artifacts import ARTIFACTS, open_artifact_folder
from untildone.engine.context import Context
from untildone.report.notices import describe_end_by_user
from untildone.report.receipt import Receipt, build_receipt
from untildone.report.receipt_text import encode_receipt, render_receipt
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record


def publish_receipt(context: Context, record: Record, *, project: Path) -> None:
    """Write the receipt to the loop's folder and to the project."""
    files = _render(load_receipt(context, record))
    _write_files(context.loops.get_folder(record.contract.id), files)
    folder = open_artifact_folder(project)
    if folder:
        # This is a copy for people to read: an error here must not change the verdict.
        with suppress(OSError):
            _write_files(folder, files)


def locate_receipt(context: Context, record: Record, *, project: Path) -> str:
    """Return where the user finds the receipt: in the project if possible."""
    name = f"{ARTIFACTS}/receipt.md"
    if not (project / ARTIFACTS).is_symlink() and (project / name).is_file():
        return name
    return str(context.loops.get_folder(record.contract.id) / "receipt.md")


def describe_users_end(context: Context, record: Record) -> str:
    """Return the line that tells the user what their `pause` or `cancel` did."""
    receipt = locate_receipt(context, record, project=Path(record.contract.project))
    return describe_end_by_user(record, receipt)


def load_receipt(context: Context, record: Record) -> Receipt:
    return build_receipt(record, context.loops.read_history(record))


def write_ci_reports(context: Context, record: Record, folder: Path) -> Path:
    """Write the receipt, and the last checks as JUnit and SARIF, to `folder`/LOOP; return that."""
    # Imported where it is used: no hook writes these.
    from untildone.report.exports import build_sarif, render_junit

    history = context.loops.read_history(record)
    checks = history.rounds[-1].checks if history.rounds else ()
    reports = {
        "junit.xml": render_junit(checks).encode("utf-8", "replace"),
        "findings.sarif": json.dumps(build_sarif(checks), indent=2).encode(),
    }
    target = folder / record.contract.id
    target.mkdir(parents=True, exist_ok=True)
    _write_files(target, _render(build_receipt(record, history)) | reports)
    return target


def _render(receipt: Receipt) -> dict[str, bytes]:
    """Return the contents of the receipt's files by their names."""
    text = render_receipt(receipt).encode("utf-8", "replace")
    return {"receipt.json": encode_receipt(receipt), "receipt.md": text}


def _write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write the files; a symbolic link in a file's place is replaced, not followed."""
    for name, data in files.items():
        write_atomically(folder / name, data, keep_previous=False)
