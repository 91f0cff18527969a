"""A package with the scripts of the start, and all else as it is now."""

import json

from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.comparison import is_harmless_edit


def restore_scripts(comparison: Comparison, path: str) -> str | None:
    """None where the scripts are not all that is to be as it was."""
    if (
        path.rpartition("/")[2] != "package.json"
        or path not in comparison.old
        or path not in comparison.new
    ):
        return None
    try:
        old, new = (json.loads(tree.text(path)) for tree in (comparison.old, comparison.new))
        before, now = old.get("scripts", {}), new.get("scripts", {})
        # What nobody calls by the name of an old one may stay: others may call it.
        fresh = {name: said for name, said in now.items() if _may_stay(name, before)}
    except (ValueError, AttributeError, RecursionError):
        return None
    if not is_harmless_edit(comparison, path, but_for="scripts."):
        return None
    return json.dumps({**new, "scripts": {**fresh, **before}}, indent=2) + "\n"


def _may_stay(name: str, before: dict[str, object]) -> bool:
    """`pretest` runs with `test`, whoever adds it."""
    return name not in before and not name.startswith(("pre", "post"))
