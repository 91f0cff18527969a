"""The text of a plan that is new."""

import json

from msgspec import to_builtins

from untildone.features.plans.model import Plan
from untildone.features.plans.rules import summarize

_ORDER = ("version", "feature", "summary", "phases", "tasks")
# Fields ShipSpec does not know are written only where they say something.
_OURS = ("checks", "allow", "worker")


def render_json(plan: Plan) -> str:
    """With every field that ShipSpec's schema asks for, in its order, and a right summary."""
    raw = to_builtins(plan) | {"summary": to_builtins(summarize(plan.tasks))}
    for task in raw["tasks"].values():
        for field in _OURS:
            if not task[field]:
                del task[field]
    ordered = {field: raw[field] for field in _ORDER}
    return json.dumps(ordered, indent=2, ensure_ascii=False) + "\n"
