"""Runs ast-grep: finds the program, writes its configuration, reads its findings."""

import json
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from untildone.checks.findings import Diagnostic
from untildone.checks.parser import shorten_to_line
from untildone.errors import UserError
from untildone.extras import describe_extra
from untildone.process.command import filter_environment
from untildone.process.runner import Finished, run

RULES = Path(__file__).parent / "rules"
PROGRAM = "ast-grep"
# An ast-grep rule is for one language; those of JavaScript are copied for these two.
JAVASCRIPT_VARIANTS = {"TypeScript": "typescript", "Tsx": "tsx"}
# Installed or generated files, which not every project lets git ignore.
_EXCLUDED = ("!**/node_modules/**", "!**/site-packages/**", "!**/*.min.js")
_SUCCESS = (0, 1)
# A message of ast-grep about comments that suppress nothing.
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
    """Return the findings by file and line, one for each rule on a line.

    Files that ast-grep cannot read are skipped.
    """
    program = _find_program()
    rule_folders = tuple(cwd / folder for folder in rules)
    require_folders(rule_folders)
    with tempfile.TemporaryDirectory(prefix="untildone-security-") as top:
        folder = Path(top)
        config = _write_configuration(folder, rule_folders)
        output, errors = folder / "output", folder / "errors"
        finished = run(
            [program, *_make_options(config), *map(_make_argument, paths)],
            cwd=cwd,
            timeout=timeout,
            env=filter_environment(os.environ),
            log=output,
            errors=errors,
        )
        if finished.exit_code not in _SUCCESS:
            raise _make_error(finished, errors, folder)
        return _read_diagnostics(output)


def validate_rules(rules: tuple[Path, ...]) -> None:
    """Raise an error if the program is missing or refuses a rule, before a loop begins."""
    with tempfile.TemporaryDirectory(prefix="untildone-security-") as empty:
        scan_paths((Path(),), cwd=Path(empty), rules=rules)


def require_folders(rules: tuple[Path, ...]) -> None:
    for folder in rules:
        if not folder.is_dir():
            raise UserError(
                f"the rules folder `{folder}` does not exist",
                hint="name a folder of ast-grep rules",
            )


def is_installed() -> bool:
    try:
        return bool(_find_program())
    except MissingProgramError:
        return False


def _find_program() -> str:
    """Return the program installed beside untildone, else the user's.

    `sg` is not searched: on many systems it is another program.
    """
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    # Hooks run without `site`, where the schemes name the folders of the base interpreter.
    folders = (
        str(Path(sys.executable).parent),
        *(sysconfig.get_path("scripts", scheme) for scheme in schemes),
    )
    beside = os.pathsep.join(folders)
    found = shutil.which(PROGRAM, path=beside) or shutil.which(PROGRAM)
    if found is None:
        raise MissingProgramError(
            f"`{PROGRAM}`, which looks for security findings, is not installed",
            hint=describe_extra("security"),
        )
    return found


def _make_options(config: Path) -> Iterator[str]:
    # With our own configuration ast-grep ignores the project's, which may load libraries.
    yield from ("scan", "--config", str(config), "--json=stream", "--color", "never")
    for pattern in _EXCLUDED:
        yield from ("--globs", pattern)


def _make_argument(path: Path) -> str:
    return f".{os.sep}{path}" if str(path).startswith("-") else str(path)


def _write_configuration(folder: Path, rules: tuple[Path, ...]) -> Path:
    variants = folder / "rules"
    variants.mkdir()
    for language, name in JAVASCRIPT_VARIANTS.items():
        for rule in sorted((RULES / "javascript").glob("*.yml")):
            text = _translate_rule(rule.read_text(encoding="utf-8"), language, name)
            (variants / f"{name}-{rule.name}").write_text(text, encoding="utf-8")
    config = folder / "sgconfig.yml"
    folders = [str(path.absolute()) for path in (RULES, variants, *rules)]
    # JSON is valid YAML and quotes any path.
    config.write_text(json.dumps({"ruleDirs": folders}), encoding="utf-8")
    return config


def _translate_rule(rule: str, language: str, name: str) -> str:
    rule = re.sub(r"^id: javascript-", f"id: {name}-", rule, count=1, flags=re.MULTILINE)
    return re.sub(
        r"^language: JavaScript$", f"language: {language}", rule, count=1, flags=re.MULTILINE
    )


def _make_error(finished: Finished, errors: Path, folder: Path) -> UserError:
    if finished.timed_out or finished.interrupted:
        return UserError(
            f"`{PROGRAM}` did not end in time", hint="scan fewer files, or allow more time"
        )
    text = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
    lines = [line.strip() for line in text.replace(str(folder), "").splitlines() if line.strip()]
    reason = finished.missing or (
        lines[0].removeprefix("Error: ") if lines else "no reason was printed"
    )
    return UserError(
        f"`{PROGRAM}` cannot look for security findings: {reason}",
        hint=f"fix the rule; `{PROGRAM} scan --rule FILE` explains what is wrong",
    )


def _read_diagnostics(output: Path) -> tuple[Diagnostic, ...]:
    found: dict[tuple[str, int, str], Diagnostic] = {}
    with output.open("rb") as lines:
        for match in sorted(filter(None, map(_read_match, lines)), key=_make_key):
            found.setdefault(
                _make_key(match),
                Diagnostic(
                    path=shorten_to_line(match.file),
                    line=match.range.start.line + 1,
                    code=shorten_to_line(match.rule_id),
                    severity="security",
                    text=shorten_to_line(match.message) or "reported",
                ),
            )
    return tuple(found.values())


def _make_key(match: _Match) -> tuple[str, int, str]:
    return match.file, match.range.start.line, match.rule_id


def _read_match(line: bytes) -> _Match | None:
    """Return a match; None for a line that was cut because the output was too long."""
    try:
        match = msgspec.json.decode(line, type=_Match)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return None if match.rule_id == _NO_FINDING else match
