"""Shipkit's relentless skills: a command that must pass (first version) or a promise (second).

---                                    ---
skill: build-relentlessly              skill: build-relentlessly
success_command: npm run build         completion_promise: DONE
---                                    ---
# Task                                 # Task
"""

import regex  # type: ignore[import-untyped]  # it ships no types

from untildone.core.contract import Check
from untildone.features.importers.fields import Fields
from untildone.features.importers.file_parsing import parse_front_matter
from untildone.features.importers.formats import loop_format

PATHS = (".shipkit/relentless-state.local.md",)
AT_STOPS = PATHS


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    fields, body = parse_front_matter(source.path, source.data)
    checks = _read_checks(fields)
    promises = loop_format.read_promises(fields, "completion_promise")
    if not checks and not promises:
        raise fields.make_error(
            "success_command",
            "is missing, and so is `completion_promise`",
            hint="give one of them: without it the loop never ends",
        )
    return loop_format.ImportedLoop(
        task=body.removeprefix("# Task").strip(),
        checks=checks,
        promises=promises,
        done_when="both" if checks and promises else None,
        active=fields.flag("enabled", True),
        **loop_format.read_shared_fields(fields, rounds=10),
    )


def _read_checks(fields: Fields) -> tuple[Check, ...]:
    """Return the check that runs `success_command`; none without that field."""
    # "build-relentlessly" names the check `build`.
    kind_of_work = fields.text("skill").partition("-")[0]
    command = fields.text("success_command")
    success_pattern = _read_pattern(fields, "success_pattern")
    failure_pattern = _read_pattern(fields, "failure_pattern")
    if not command:
        return ()
    return (
        Check(
            name=kind_of_work if kind_of_work in ("build", "test", "lint") else "check",
            command=command,
            success_pattern=success_pattern,
            failure_pattern=failure_pattern,
            reason=f"`success_command` of {fields.path}",
        ),
    )


def _read_pattern(fields: Fields, key: str) -> str:
    """Return a regular expression for the command's output; raise UserError if it is none."""
    pattern = fields.text(key)
    try:
        regex.compile(pattern)
    except regex.error as error:
        reason = f"`{pattern}` is not a regular expression: {error.msg}"
        raise fields.make_error(key, reason, hint="correct it and try again") from None
    return pattern
