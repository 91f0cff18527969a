"""One setting in two trees, with what is needed to judge whether it was loosened.

`mypy.strict` with the old values `(True,)` and no new ones: the key was removed.
"""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from untildone.integrity.settings.parsing import Values


class SettingsFile(Struct, frozen=True):
    """A configuration file in two trees."""

    folder: str
    # All paths of the trees.
    old_paths: tuple[str, ...]
    new_paths: tuple[str, ...]
    old_settings: Mapping[str, Values]
    # Also those that moved to another file in the same folder or above.
    new_settings: Mapping[str, Values]


class SettingChange(Struct, frozen=True):
    """A key with its values; None where the key is not set, which differs from an empty list."""

    key: str
    old: Values | None
    new: Values | None
    file: SettingsFile

    def with_values(self, old: Values | None, new: Values | None) -> "SettingChange":
        """Return the same key with other values."""
        return replace(self, old=old, new=new)
