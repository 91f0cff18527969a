"""The task lists of other tools: one module per tool, and the table of them.

`untildone plan import` turns such a list into a plan of ours.
"""

from untildone.errors import UserError
from untildone.features.importers.file_parsing import decode_text
from untildone.features.importers.plan_formats import (
    beads,
    check_list,
    fix_plan,
    hope_prd,
    plan_format,
    prd_json,
    ralphex,
)

# The first one that recognises a file reads it.
PLAN_FORMATS: dict[str, plan_format.PlanFormat] = {
    "prd-json": prd_json,
    "beads": beads,
    "hope": hope_prd,
    "ralphex": ralphex,
    "fix-plan": fix_plan,
    "check-list": check_list,
}


def read_foreign_plan(path: str, data: bytes, *, kind: str = "") -> plan_format.ImportedPlan:
    """Return the plan in a file of the format `kind`, else of the first that recognises it."""
    text = decode_text(path, data, max_bytes=plan_format.MAX_BYTES)
    if kind:
        return PLAN_FORMATS[kind].read_plan(path, text)
    for reader in PLAN_FORMATS.values():
        if reader.recognises(path, text):
            return reader.read_plan(path, text)
    known = ", ".join(f"`{name}`" for name in PLAN_FORMATS)
    raise UserError(
        f"`{path}` is not a known kind of plan", hint=f"give `--format` with one of {known}"
    )
