"""A `package.json` with the scripts of the baseline and the rest of the current one."""

import json

from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.comparison import is_harmless_edit


def restore_scripts(comparison: Comparison, path: str) -> str | None:
    """Return the merged file; None if more than the scripts has to be the baseline's."""
    if (
        path.rpartition("/")[2] != "package.json"
        or path not in comparison.old
        or path not in comparison.new
    ):
        return None
    try:
        old, new = (json.loads(tree.text(path)) for tree in (comparison.old, comparison.new))
        before, now = old.get("scripts", {}), new.get("scripts", {})
        # New scripts may stay: other scripts may call them.
        fresh = {name: said for name, said in now.items() if _may_stay(name, before)}
    except (ValueError, AttributeError, RecursionError):
        return None
    if not is_harmless_edit(comparison, path, but_for="scripts."):
        return None
    return json.dumps({**new, "scripts": {**fresh, **before}}, indent=2) + "\n"


def _may_stay(name: str, before: dict[str, object]) -> bool:
    """`pretest` would run with `test`, so it may not stay."""
    return name not in before and not name.startswith(("pre", "post"))
