"""`untildone.toml`, or `[tool.untildone]` in `pyproject.toml`: what a repository proposes."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from untildone.errors import UserError
from untildone.loop.model import Check, When

_LARGEST = 1_000_000


class Configured(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One check as the file says it."""

    command: str
    when: When = "round"
    timeout: float = 600
    cwd: str = ""
    success_pattern: str = ""
    failure_pattern: str = ""
    fix: str = ""
    env: dict[str, str] = {}


class Configuration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    checks: dict[str, Configured] = {}

    def as_checks(self, path: Path) -> tuple[Check, ...]:
        return tuple(
            Check(name=name, reason=f"configured in `{path.name}`", **msgspec.structs.asdict(check))
            for name, check in self.checks.items()
        )


class Proposal(Struct, frozen=True, kw_only=True):
    """The file, its content's hash for `trust`, and what it says."""

    path: Path
    sha256: str
    text: str
    configuration: Configuration


def proposal(project: Path) -> Proposal | None:
    for name in ("untildone.toml", "pyproject.toml"):
        path = project / name
        if path.is_file():
            found = _read(path)
            if found is not None:
                return found
    return None


def _read(path: Path) -> Proposal | None:
    with path.open("rb") as file:
        data = file.read(_LARGEST + 1)
    # What is wrong with a whole pyproject.toml is not ours to judge: its own tools will say so.
    shared = path.name == "pyproject.toml"
    if len(data) > _LARGEST:
        if shared:
            return None
        raise UserError(f"`{path}` is larger than {_LARGEST} bytes", hint="shorten it")
    try:
        text = data.decode("utf-8")
        whole = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        if shared:
            return None
        raise UserError(f"`{path}` is not TOML: {error}", hint="mend it there") from None
    own = _section(whole) if shared else whole
    if own is None:
        return None
    return Proposal(
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        text=text,
        configuration=_configuration(own, path),
    )


def _section(whole: dict[str, Any]) -> object:
    tools = whole.get("tool")
    return tools.get("untildone") if isinstance(tools, dict) else None


def _configuration(own: object, path: Path) -> Configuration:
    try:
        return msgspec.convert(own, Configuration)
    except msgspec.ValidationError as error:
        fields = ", ".join(f"`{name}`" for name in Configured.__struct_fields__)
        raise UserError(
            f"`{path}`: {str(error)[:1].lower()}{str(error)[1:]}",
            hint=f"a check is a table `[checks.NAME]` with {fields}",
        ) from None
