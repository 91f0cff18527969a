"""One setting in two trees, with what is needed to judge whether it was loosened."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from untildone.integrity.settings.parsing import Values


class SettingsFile(Struct, frozen=True):
    """A configuration file: its folder, the files of both trees, its settings in both."""

    folder: str
    old_paths: tuple[str, ...]
    new_paths: tuple[str, ...]
    old_settings: Mapping[str, Values]
    # Also those that moved to another file in the same folder.
    new_settings: Mapping[str, Values]


class SettingChange(Struct, frozen=True):
    """A key with its values; None where the key is not set, which differs from an empty list."""

    key: str
    old: Values | None
    new: Values | None
    file: SettingsFile

    def with_values(self, old: Values | None, new: Values | None) -> "SettingChange":
        return replace(self, old=old, new=new)
