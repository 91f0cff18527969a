"""The table of plan formats; the first that recognises a file reads it."""

from untildone.errors import UserError
from untildone.features.importers.formats.text import decode_text
from untildone.features.importers.plan_formats import (
    beads,
    check_list,
    fix_plan,
    hope_prd,
    prd_json,
    ralphex,
)
from untildone.features.importers.plan_formats.plan_format import LARGEST, ImportedPlan, PlanFormat

PLAN_FORMATS: dict[str, PlanFormat] = {
    "prd-json": prd_json,
    "beads": beads,
    "hope": hope_prd,
    "ralphex": ralphex,
    "fix-plan": fix_plan,
    "check-list": check_list,
}


def read_foreign_plan(path: str, data: bytes, *, kind: str = "") -> ImportedPlan:
    text = decode_text(path, data, largest=LARGEST)
    if kind:
        return PLAN_FORMATS[kind].plan(path, text)
    for dialect in PLAN_FORMATS.values():
        if dialect.recognises(path, text):
            return dialect.plan(path, text)
    known = ", ".join(f"`{name}`" for name in PLAN_FORMATS)
    raise UserError(f"`{path}` is no plan that is known", hint=f"`--format` with one of {known}")
