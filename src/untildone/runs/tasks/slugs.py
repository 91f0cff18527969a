"""Names for branches and folders."""

import re

from untildone.store.digest import sha256


def make_slug(text: str) -> str:
    """Return a name for branches and folders, unique for each text."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", text).strip("-")[:60] or "plan"
    return plain if plain == text else f"{plain}-{sha256(text.encode()).hexdigest()[:6]}"
