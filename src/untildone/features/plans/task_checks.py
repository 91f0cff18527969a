"""The checks of a task: those it lists, and those derived from its criteria and tests."""

import hashlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Check
from untildone.engine.context import Context
from untildone.features.plans.plan import Plan, Task
from untildone.features.plans.plan_conditions import (
    Command,
    Condition,
    FileContains,
    HttpStatus,
    parse_condition,
)
from untildone.process.command import quote_argument
from untildone.store.home import prepare_home
from untildone.store.trusted_files import read_trusted_hash, record_trust

_PROMISE = re.compile(
    r"(?m)^##+[ \t]+Completion Promise[ \t]*\n+(?:[ \t]*<promise>)?[ \t]*(?P<text>\S.*?)[ \t]*"
    r"(?:</promise>)?[ \t]*$"
)
_LONGEST_NAME = 120


def list_task_checks(task: Task) -> tuple[Check, ...]:
    """Those it lists and those derived; they run only after the user has trusted them."""
    listed = (
        check if isinstance(check, Check) else Check(name=_shorten(check), command=check)
        for check in task.checks
    )
    derived = (
        Check(name=_shorten(text), command=_build_command(condition), reason="the plan says so")
        for text, condition in _parse_conditions(task).items()
        if condition is not None
    )
    return merge_checks((*listed, *derived))


def merge_checks(checks: Iterable[Check]) -> tuple[Check, ...]:
    """One check for each command, each with its own name."""
    found: dict[str, Check] = {}
    for check in checks:
        found.setdefault(check.command, check)
    names: dict[str, Check] = {}
    for check in found.values():
        name = check.name if check.name not in names else f"{check.name} ({len(names) + 1})"
        names[name] = replace(check, name=name)
    return tuple(names.values())


def list_review_criteria(task: Task) -> tuple[str, ...]:
    """The criteria that no check can prove: a verifier's evidence or a promise must."""
    return tuple(text for text, condition in _parse_conditions(task).items() if condition is None)


def find_promise(task: Task) -> str:
    """The text of the prompt's `## Completion Promise`, if it has one."""
    found = _PROMISE.search(task.prompt)
    return found["text"].strip() if found else ""


def list_commands(plan: Plan) -> tuple[str, ...]:
    """What this plan would run and allow, in order: this is what the user trusts."""
    found: dict[str, None] = {}
    for task in plan.tasks.values():
        found |= dict.fromkeys(check.command for check in list_task_checks(task))
        found |= dict.fromkeys(f"allow {allowance}" for allowance in task.allow)
    return tuple(found)


def _parse_conditions(task: Task) -> dict[str, Condition | None]:
    criteria = {text: parse_condition(text) for text in task.acceptance_criteria if text.strip()}
    tests = {
        text: parse_condition(text, may_be_bare_command=True)
        for text in task.testing
        if text.strip()
    }
    return {**criteria, **tests}


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 2] + " …"


def _build_command(condition: Condition) -> str:
    match condition:
        case Command(line=line):
            return line
        case FileContains(path=path, text=text):
            return _build_probe("contains", path, text)
        case HttpStatus(method=method, url=url, code=code):
            return _build_probe("answers", method, url, str(code))


def _build_probe(kind: str, *arguments: str) -> str:
    # `--` because a text may begin with a dash.
    argv = (sys.executable, "-I", "-m", "untildone.features.plans.probe", kind, "--", *arguments)
    return " ".join(map(quote_argument, argv))


def digest_commands(plan: Plan) -> str:
    """Covers only commands and allowances: the status of tasks changes all the time."""
    return hashlib.sha256(
        "\n".join(list_commands(plan)).encode("utf-8", "backslashreplace")
    ).hexdigest()


def is_trusted(context: Context, path: Path, plan: Plan) -> bool:
    """A plan that runs nothing needs no trust."""
    return not list_commands(plan) or read_trusted_hash(context.home, path) == digest_commands(plan)


def trust_plan(context: Context, path: Path, plan: Plan) -> None:
    prepare_home(context.home)
    record_trust(
        context.home, path, sha256=digest_commands(plan), text="\n".join(list_commands(plan))
    )
