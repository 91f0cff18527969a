"""Shipkit's relentless skills: a check to run (first version) or a promise (second)."""

import regex  # type: ignore[import-untyped]  # it ships no types

from untildone.core.contract import Check
from untildone.features.importers.fields import Fields
from untildone.features.importers.file_parsing import parse_front_matter
from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    list_differences,
    read_promises,
)

PATHS = (".shipkit/relentless-state.local.md",)
AT_STOPS = PATHS


def read(source: Source) -> ImportedLoop:
    fields, body = parse_front_matter(source.path, source.data)
    skill = fields.text("skill").partition("-")[0]
    checks = _read_checks(fields, skill)
    promises = read_promises(fields, "completion_promise")
    if not checks and not promises:
        raise fields.make_error(
            "success_command",
            "is missing, and so is `completion_promise`",
            hint="give one of them: without it the loop never ends",
        )
    return ImportedLoop(
        task=body.removeprefix("# Task").strip(),
        count=fields.count("iteration", 1),
        rounds=fields.rounds("max_iterations", 10),
        checks=checks,
        promises=promises,
        done_when="both" if checks and promises else None,
        active=fields.flag("enabled", True),
        **list_differences(fields),
    )


def _read_checks(fields: Fields, skill: str) -> tuple[Check, ...]:
    command = fields.text("success_command")
    success, failure = (_read_pattern(fields, f"{kind}_pattern") for kind in ("success", "failure"))
    if not command:
        return ()
    return (
        Check(
            name=skill if skill in ("build", "test", "lint") else "check",
            command=command,
            success_pattern=success,
            failure_pattern=failure,
            reason=f"`success_command` of {fields.path}",
        ),
    )


def _read_pattern(fields: Fields, key: str) -> str:
    pattern = fields.text(key)
    try:
        regex.compile(pattern)
    except regex.error as error:
        reason = f"`{pattern}` is not a regular expression: {error.msg}"
        raise fields.make_error(key, reason, hint="correct it and try again") from None
    return pattern
