"""Hope's loop: criteria the agent reports on, later only the stage of a workflow."""

from typing import get_args

from untildone.core.agent_message import MAX_CLAIMS
from untildone.core.contract import Claim, Verification
from untildone.features.importers.formats.fields import Fields, Value
from untildone.features.importers.formats.loop_format import ImportedLoop, Source
from untildone.features.importers.formats.text import parse_json_object

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
    # What it says of itself is said again here, at the stop that is judged.
    fields.flag("exit_signal", False)
    claims = _claims(fields)
    done, left = fields.texts("completedSteps"), fields.texts("remainingSteps")
    steps = _few(fields, "steps", fields.texts("steps") or (*done, *left))
    return ImportedLoop(
        task=fields.text("spec") or fields.text("task"),
        # What was agreed once is not scored again.
        preset="" if claims else "loop",
        count=fields.count("iteration", 1),
        claims=claims,
        steps=steps,
        steps_done=tuple(step for step in dict.fromkeys(done) if step in steps),
        done_when="both",
        active=not ended,
        kept=True,
        defaults=tuple(fields.defaults),
        no_counterpart=fields.left_over(),
    )


def _claims(fields: Fields) -> tuple[Claim, ...]:
    status = fields.group("criteriaStatus").items()
    names = _few(fields, "criteria", fields.texts("criteria") or tuple(status))
    if any(status.values()):
        fields.defaults.append("what `criteriaStatus` calls met is to be reported again")
    return tuple(Claim(name=name, verification=_kind(status.get(name))) for name in names)


def _few(fields: Fields, key: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > MAX_CLAIMS:
        raise fields.refused(
            key, f"has more than {MAX_CLAIMS} entries", hint="join what belongs together"
        )
    return tuple(dict.fromkeys(names))


def _kind(status: Value) -> Verification:
    """An assumption never counts, so a claim that rests on one asks for execution."""
    said = status.get("verification") if isinstance(status, dict) else ""
    kind = _KINDS.get(str(said), "execution")
    return "execution" if kind == "assumption" else kind
