"""Which files a sandbox is made of."""

from pathlib import Path

from msgspec import Struct


class SandboxFiles(Struct, frozen=True):
    """Each file by the path it is copied from, or as text where it was written for the sandbox.

    `restored` are the paths whose content is not the project's current one.
    """

    files: dict[str, Path | str]
    restored: tuple[str, ...]
