"""One run of ast-grep: which program, with which rules, and what it found."""

import json
import os
import re
import shutil
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import shorten_to_line
from untildone.errors import UserError
from untildone.process import Finished, environment, run

OURS = Path(__file__).parent / "rules"
PROGRAM = "ast-grep"
# ast-grep knows a rule for one language only; these two read what JavaScript's rules say.
DIALECTS = {"TypeScript": "typescript", "Tsx": "tsx"}
# Installed or generated, never written here; git often ignores them, but not every project has it.
_FOREIGN = ("!**/node_modules/**", "!**/site-packages/**", "!**/*.min.js")
_SUCCESS = (0, 1)
_NO_FINDING = "unused-suppression"


class MissingProgramError(UserError):
    """The program is not installed."""


class _Position(Struct):
    line: int
    column: int


class _Range(Struct):
    start: _Position


class _Match(Struct, rename="camel"):
    file: str
    range: _Range
    rule_id: str
    message: str = ""


def scan_paths(
    paths: Sequence[Path], *, cwd: Path, rules: tuple[Path, ...] = (), timeout: float | None = None
) -> tuple[Diagnostic, ...]:
    """By file and line, one for each rule on a line; what ast-grep cannot read is not in it."""
    program = _program()
    require_folders(tuple(cwd / folder for folder in rules))
    with tempfile.TemporaryDirectory(prefix="untildone-security-") as top:
        folder = Path(top)
        config = _configuration(folder, tuple(cwd / each for each in rules))
        output, errors = folder / "output", folder / "errors"
        finished = run(
            [program, *_arguments(config), *(_argument(path) for path in paths)],
            cwd=cwd,
            timeout=timeout,
            env=environment(os.environ),
            log=output,
            errors=errors,
        )
        if finished.exit_code not in _SUCCESS:
            raise _failure(finished, errors, folder)
        return _diagnostics(output)


def validate_rules(rules: tuple[Path, ...]) -> None:
    """Refuse a missing program, and rules that ast-grep does not take, before a loop begins."""
    with tempfile.TemporaryDirectory(prefix="untildone-security-") as empty:
        scan_paths((Path(),), cwd=Path(empty), rules=rules)


def require_folders(rules: tuple[Path, ...]) -> None:
    for folder in rules:
        if not folder.is_dir():
            raise UserError(
                f"the folder of rules `{folder}` does not exist",
                hint="name a folder of ast-grep rules",
            )


def is_installed() -> bool:
    try:
        return bool(_program())
    except MissingProgramError:
        return False


def _program() -> str:
    """The one installed with us, else the person's; `sg` is another program on many systems."""
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    beside = os.pathsep.join(sysconfig.get_path("scripts", scheme) for scheme in schemes)
    found = shutil.which(PROGRAM, path=beside) or shutil.which(PROGRAM)
    if found is None:
        raise MissingProgramError(
            f"`{PROGRAM}`, which looks for security findings, is not installed",
            hint="`pip install 'untildone[security]'`",
        )
    return found


def _arguments(config: Path) -> Iterator[str]:
    # With a configuration of our own the project's is not read: it may name libraries to load.
    yield from ("scan", "--config", str(config), "--json=stream", "--color", "never")
    for pattern in _FOREIGN:
        yield from ("--globs", pattern)


def _argument(path: Path) -> str:
    return f".{os.sep}{path}" if str(path).startswith("-") else str(path)


def _configuration(folder: Path, rules: tuple[Path, ...]) -> Path:
    dialects = folder / "rules"
    dialects.mkdir()
    for language, name in DIALECTS.items():
        for rule in sorted((OURS / "javascript").glob("*.yml")):
            text = _in_dialect(rule.read_text(encoding="utf-8"), language, name)
            (dialects / f"{name}-{rule.name}").write_text(text, encoding="utf-8")
    config = folder / "sgconfig.yml"
    folders = [str(each.absolute()) for each in (OURS, dialects, *rules)]
    # JSON is YAML, and quotes whatever a path may hold.
    config.write_text(json.dumps({"ruleDirs": folders}), encoding="utf-8")
    return config


def _in_dialect(rule: str, language: str, name: str) -> str:
    rule = re.sub(r"^id: javascript-", f"id: {name}-", rule, count=1, flags=re.MULTILINE)
    return re.sub(
        r"^language: JavaScript$", f"language: {language}", rule, count=1, flags=re.MULTILINE
    )


def _failure(finished: Finished, errors: Path, folder: Path) -> UserError:
    if finished.timed_out or finished.interrupted:
        return UserError(
            f"`{PROGRAM}` did not end in time", hint="look at fewer files, or give it longer"
        )
    said = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
    lines = [line.strip() for line in said.replace(str(folder), "").splitlines() if line.strip()]
    reason = finished.missing or (lines[0].removeprefix("Error: ") if lines else "it says nothing")
    return UserError(
        f"`{PROGRAM}` cannot look for security findings: {reason}",
        hint=f"mend the rule; `{PROGRAM} scan --rule FILE` tells what is wrong with one",
    )


def _diagnostics(output: Path) -> tuple[Diagnostic, ...]:
    found: dict[tuple[str, int, str], Diagnostic] = {}
    with output.open("rb") as lines:
        for match in sorted(filter(None, map(_match, lines)), key=_place):
            line = match.range.start.line + 1
            found.setdefault(
                (match.file, line, match.rule_id),
                Diagnostic(
                    path=shorten_to_line(match.file),
                    line=line,
                    code=shorten_to_line(match.rule_id),
                    severity="security",
                    text=shorten_to_line(match.message) or "reported",
                ),
            )
    return tuple(found.values())


def _place(match: _Match) -> tuple[str, int, str]:
    return match.file, match.range.start.line, match.rule_id


def _match(line: bytes) -> _Match | None:
    """Nothing where the output was too long to be kept whole."""
    try:
        match = msgspec.json.decode(line, type=_Match)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return None if match.rule_id == _NO_FINDING else match
