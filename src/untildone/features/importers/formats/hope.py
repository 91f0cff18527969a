"""Hope's loop: criteria and steps that the agent reports on become claims and steps.

    {"spec": "Parse dates", "criteria": ["ISO dates parse"], "status": "running",
     "criteriaStatus": {"ISO dates parse": {"verification": "execution output"}}}

The workflow of later versions has `task` for `spec` and `stage` for `status`.
"""

from typing import get_args

from untildone.core.agent_message import MAX_CLAIMS
from untildone.core.contract import Claim, Verification
from untildone.features.importers.fields import Fields, Value
from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.formats import loop_format

PATHS = (".loop/state.json", ".loop/workflow-state.json")
AT_STOPS = PATHS
_ENDED = ("completed", "cancelled", "failed", "complete")
# Hope's words for how a criterion was verified, and ours.
_VERIFICATIONS: dict[str, Verification] = {
    **{name: name for name in get_args(Verification)},
    "execution output": "execution",
    "code review": "review",
}


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    ended = fields.text("status") in _ENDED or fields.text("stage") in _ENDED
    # Read but ignored: the agent signals again at a stop that is judged.
    fields.flag("exit_signal", False)
    claims = _read_claims(fields)
    completed, remaining = fields.texts("completedSteps"), fields.texts("remainingSteps")
    steps = _limit_names(fields, "steps", fields.texts("steps") or (*completed, *remaining))
    return loop_format.ImportedLoop(
        task=fields.text("spec") or fields.text("task"),
        # A spec with criteria was agreed on already and is not scored again.
        preset="" if claims else "loop",
        count=fields.count("iteration", 1),
        claims=claims,
        steps=steps,
        steps_done=tuple(step for step in dict.fromkeys(completed) if step in steps),
        done_when="both",
        active=not ended,
        keep_at_end=True,
        **loop_format.list_differences(fields),
    )


def _read_claims(fields: Fields) -> tuple[Claim, ...]:
    """Return a claim for each criterion; without a list, the keys of `criteriaStatus`."""
    status = fields.group("criteriaStatus").items()
    names = _limit_names(fields, "criteria", fields.texts("criteria") or tuple(status))
    if any(status.values()):
        fields.defaults.append("what `criteriaStatus` calls met must be reported again")
    return tuple(
        Claim(name=name, verification=_find_verification(status.get(name))) for name in names
    )


def _limit_names(fields: Fields, key: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names without repeated ones; raise UserError if there are too many."""
    if len(names) > MAX_CLAIMS:
        raise fields.make_error(
            key, f"has more than {MAX_CLAIMS} entries", hint="join what belongs together"
        )
    return tuple(dict.fromkeys(names))


def _find_verification(status: Value) -> Verification:
    """Return how the agent must verify a criterion with this entry of `criteriaStatus`.

    An assumption never counts as proof for us, so such a criterion needs execution.
    """
    name = status.get("verification") if isinstance(status, dict) else ""
    verification = _VERIFICATIONS.get(str(name), "execution")
    return "execution" if verification == "assumption" else verification
