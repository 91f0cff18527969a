"""Hope's loop: criteria that the agent reports on; in later versions a workflow's stage."""

from typing import get_args

from untildone.core.agent_message import MAX_CLAIMS
from untildone.core.contract import Claim, Verification
from untildone.features.importers.fields import Fields, Value
from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    list_differences,
)

PATHS = (".loop/state.json", ".loop/workflow-state.json")
AT_STOPS = PATHS
_KINDS: dict[str, Verification] = {
    **{kind: kind for kind in get_args(Verification)},
    "execution output": "execution",
    "code review": "review",
}


def read(source: Source) -> ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    over = ("completed", "cancelled", "failed", "complete")
    ended = fields.text("status") in over or fields.text("stage") in over
    # Read but ignored: the agent signals again at a stop that is judged.
    fields.flag("exit_signal", False)
    claims = _read_claims(fields)
    done, left = fields.texts("completedSteps"), fields.texts("remainingSteps")
    steps = _require_few(fields, "steps", fields.texts("steps") or (*done, *left))
    return ImportedLoop(
        task=fields.text("spec") or fields.text("task"),
        # A spec with criteria was agreed on already and is not scored again.
        preset="" if claims else "loop",
        count=fields.count("iteration", 1),
        claims=claims,
        steps=steps,
        steps_done=tuple(step for step in dict.fromkeys(done) if step in steps),
        done_when="both",
        active=not ended,
        keep_at_end=True,
        **list_differences(fields),
    )


def _read_claims(fields: Fields) -> tuple[Claim, ...]:
    status = fields.group("criteriaStatus").items()
    names = _require_few(fields, "criteria", fields.texts("criteria") or tuple(status))
    if any(status.values()):
        fields.defaults.append("what `criteriaStatus` calls met must be reported again")
    return tuple(
        Claim(name=name, verification=_find_verification(status.get(name))) for name in names
    )


def _require_few(fields: Fields, key: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > MAX_CLAIMS:
        raise fields.make_error(
            key, f"has more than {MAX_CLAIMS} entries", hint="join what belongs together"
        )
    return tuple(dict.fromkeys(names))


def _find_verification(status: Value) -> Verification:
    """An assumption never counts, so such a claim needs execution."""
    verification = status.get("verification") if isinstance(status, dict) else ""
    kind = _KINDS.get(str(verification), "execution")
    return "execution" if kind == "assumption" else kind
