"""The published JSON Schemas; `python -m untildone.cli.schemas FOLDER` writes them."""

import json
import sys
from pathlib import Path

import msgspec

from untildone.cli.detect import Detection
from untildone.cli.plan.files import Imported
from untildone.cli.plan.next_ import Next
from untildone.cli.plan.review import Refinement, ValidationReport
from untildone.cli.plan.show import Overview, TaskDetails
from untildone.cli.receipt.verdict import ReceiptVerdict
from untildone.core.contract import Contract
from untildone.features.plans.plan import Plan
from untildone.features.plans.verifier_reports import VerifierReport
from untildone.receipts.statement import Statement
from untildone.report.checks import CheckReport
from untildone.report.page.values import LoopView
from untildone.report.receipt import Receipt
from untildone.report.status import StatusReport
from untildone.runs.queue.values import (
    QueueAdded,
    QueueChange,
    QueueDetails,
    QueueLimits,
    QueueList,
)
from untildone.store.state import State

SCHEMAS: dict[str, type[msgspec.Struct]] = {
    "plan": Plan,
    "plan-import": Imported,
    "plan-next": Next,
    "plan-refine": Refinement,
    "plan-show": Overview,
    "plan-show-task": TaskDetails,
    "plan-validate": ValidationReport,
    "verification": VerifierReport,
    "queue-add": QueueAdded,
    "queue-change": QueueChange,
    "queue-limit": QueueLimits,
    "queue-list": QueueList,
    "queue-show": QueueDetails,
    "status": StatusReport,
    "check": CheckReport,
    "detect": Detection,
    "receipt": Receipt,
    "report": LoopView,
    "receipt-statement": Statement,
    "receipt-verify": ReceiptVerdict,
    "contract": Contract,
    "state": State,
}
_META_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


def build_schemas() -> dict[str, str]:
    """Return the text of each schema by its file name."""
    return {
        f"{name}.schema.json": json.dumps(
            {"$schema": _META_SCHEMA, "title": name, **msgspec.json.schema(kind)}, indent=2
        )
        + "\n"
        for name, kind in SCHEMAS.items()
    }


def write_schemas(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in build_schemas().items():
        folder.joinpath(name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
