"""What a pipeline keeps of a loop: its receipt, and its last checks as JUnit and SARIF."""

import json
from pathlib import Path

from untildone.engine.artifacts import load_last_evidence, make_receipt
from untildone.engine.context import Context
from untildone.report.exports import build_sarif, render_junit
from untildone.report.receipt_text import encode_receipt, render_receipt
from untildone.store.durable_files import write_atomically
from untildone.store.loops import Record


def write_ci_reports(context: Context, record: Record, folder: Path) -> Path:
    """In a folder of the loop's own below this one."""
    loop, at = record.contract.id, record.progress.updated_at
    evidence = load_last_evidence(context.loops.read_rounds(loop))
    project = Path(record.contract.project)
    paper = make_receipt(context, record, evidence, project=project, at=at)
    texts = {
        "receipt.json": encode_receipt(paper),
        "receipt.md": render_receipt(paper).encode("utf-8", "replace"),
        "junit.xml": render_junit(evidence.checks).encode("utf-8", "replace"),
        "findings.sarif": json.dumps(build_sarif(evidence.checks), indent=2).encode(),
    }
    place = folder / loop
    place.mkdir(parents=True, exist_ok=True)
    for name, data in texts.items():
        write_atomically(place / name, data, keep_previous=False)
    return place
