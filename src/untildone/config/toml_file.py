"""A TOML file whose errors name the file and the line."""

import hashlib
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from untildone.checks.detection.project_files import locate_toml_error
from untildone.config.key_lines import find_key_lines, find_line
from untildone.config.type_validation import ConfigProblem
from untildone.errors import UserError

_LARGEST_FILE = 1_000_000
_MOST_REPORTED = 20


class TomlFile(Struct, frozen=True, kw_only=True):
    """A file that was read; `shown` is its name in messages."""

    path: Path
    shown: str
    sha256: str
    text: str

    def parse(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            reason, line, column = locate_toml_error(error, self.text)
            location, reason = f"{self.shown}:{line}:{column}", reason[:1].lower() + reason[1:]
        except RecursionError:
            location, reason = self.shown, "nested too deep"
        raise UserError(f"{location}: not TOML: {reason}", hint="fix it there")

    def raise_problems(self, problems: Sequence[ConfigProblem], *, hint: str) -> None:
        """Raise an error that lists the problems with their lines; do nothing without any."""
        if not problems:
            return
        lines = find_key_lines(self.text)
        located = sorted((find_line(lines, problem.path), problem.text) for problem in problems)
        messages = [f"{self.shown}:{line}: {text}" for line, text in located[:_MOST_REPORTED]]
        if len(located) > _MOST_REPORTED:
            messages.append(f"and {len(located) - _MOST_REPORTED} more")
        raise UserError("\n".join(messages), hint=hint)


def read_toml_file(path: Path, *, shown: str) -> TomlFile:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise UserError(
            f"`{shown}` cannot be read: {error.strerror}", hint="make it readable"
        ) from None
    if len(data) > _LARGEST_FILE:
        raise UserError(f"`{shown}` is larger than {_LARGEST_FILE} bytes", hint="shorten it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"{shown}:{line}: not TOML: a byte that is not UTF-8", hint="save it as UTF-8"
        ) from None
    digest = hashlib.sha256(data).hexdigest()
    return TomlFile(path=path, shown=shown, sha256=digest, text=text)
