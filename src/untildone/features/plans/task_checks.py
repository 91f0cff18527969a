"""The checks of a plan's task, and whether the user trusts the commands of a plan.

A task lists checks itself in `checks`; more are derived from the sentences in its
`acceptance_criteria` and `testing` that state a condition, such as "`npm test` exits 0".
Sentences that state none are left to a reviewer.
"""

import hashlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Check
from untildone.core.text import shorten
from untildone.engine.context import Context
from untildone.features.plans import plan_conditions
from untildone.features.plans.plan import Plan, Task
from untildone.process.command import quote_argument
from untildone.store.home import prepare_home
from untildone.store.trusted_files import read_trusted_hash, record_trust

# "## Completion Promise", then "<promise>TASK-001 DONE</promise>" or the text alone
_PROMISE = re.compile(
    r"(?m)^##+[ \t]+Completion Promise[ \t]*\n+(?:[ \t]*<promise>)?[ \t]*(?P<text>\S.*?)[ \t]*"
    r"(?:</promise>)?[ \t]*$"
)
_MAX_NAME_CHARACTERS = 120


def list_task_checks(task: Task) -> tuple[Check, ...]:
    """Return the checks that the task lists and those derived from its sentences.

    They come from a file of the repository, so they run only after the user has trusted them.
    """
    listed = (
        check if isinstance(check, Check) else Check(name=_make_name(check), command=check)
        for check in task.checks
    )
    derived = (
        Check(name=_make_name(text), command=_build_command(condition), reason="the plan says so")
        for text, condition in _parse_conditions(task).items()
        if condition is not None
    )
    return merge_checks((*listed, *derived))


def merge_checks(checks: Iterable[Check]) -> tuple[Check, ...]:
    """Return the first check of each command; a name that is used already gets a number."""
    by_command: dict[str, Check] = {}
    for check in checks:
        by_command.setdefault(check.command, check)
    by_name: dict[str, Check] = {}
    for check in by_command.values():
        name, number = check.name, len(by_name)
        # A task may itself name a check `a (2)`.
        while name in by_name:
            number += 1
            name = f"{check.name} ({number})"
        by_name[name] = replace(check, name=name)
    return tuple(by_name.values())


def list_review_criteria(task: Task) -> tuple[str, ...]:
    """Return the sentences that no check can prove: a verifier's evidence or a promise must."""
    return tuple(text for text, condition in _parse_conditions(task).items() if condition is None)


def find_promise(task: Task) -> str:
    """Return the text under the prompt's `## Completion Promise`, or an empty text."""
    promise = _PROMISE.search(task.prompt)
    return promise["text"].strip() if promise else ""


def list_commands(plan: Plan) -> tuple[str, ...]:
    """Return every command and allowance of the plan once: this is what the user trusts."""
    lines: dict[str, None] = {}
    for task in plan.tasks.values():
        lines |= dict.fromkeys(check.command for check in list_task_checks(task))
        lines |= dict.fromkeys(f"allow {allowance}" for allowance in task.allow)
    return tuple(lines)


def _parse_conditions(task: Task) -> dict[str, plan_conditions.Condition | None]:
    """Return each sentence of the task with its condition, None if it states none."""
    criteria = {
        text: plan_conditions.parse_condition(text)
        for text in task.acceptance_criteria
        if text.strip()
    }
    tests = {
        text: plan_conditions.parse_condition(text, may_be_bare_command=True)
        for text in task.testing
        if text.strip()
    }
    return {**criteria, **tests}


def _make_name(text: str) -> str:
    """Return the text as the name of a check: in one line that is not too long."""
    return shorten(" ".join(text.split()), _MAX_NAME_CHARACTERS)


def _build_command(condition: plan_conditions.Condition) -> str:
    """Return the command that exits with 0 if the condition is met."""
    match condition:
        case plan_conditions.Command(line=line):
            return line
        case plan_conditions.FileContains(path=path, text=text):
            return _build_probe("contains", path, text)
        case plan_conditions.HttpStatus(method=method, url=url, code=code):
            return _build_probe("answers", method, url, str(code))


def _build_probe(kind: str, *arguments: str) -> str:
    """Return a command that runs our own program `probe`."""
    # `--` because a text may begin with a dash.
    argv = (sys.executable, "-I", "-m", "untildone.features.plans.probe", kind, "--", *arguments)
    return " ".join(map(quote_argument, argv))


def digest_commands(plan: Plan) -> str:
    """Return a hash of the commands and allowances alone: trust outlives a change of status."""
    return hashlib.sha256(
        "\n".join(list_commands(plan)).encode("utf-8", "backslashreplace")
    ).hexdigest()


def is_trusted(context: Context, path: Path, plan: Plan) -> bool:
    """Say whether the user has trusted these commands; a plan without any needs no trust."""
    return not list_commands(plan) or read_trusted_hash(context.home, path) == digest_commands(plan)


def trust_plan(context: Context, path: Path, plan: Plan) -> None:
    """Record that the user trusts the plan's commands and allowances as they are now."""
    prepare_home(context.home)
    record_trust(
        context.home, path, sha256=digest_commands(plan), text="\n".join(list_commands(plan))
    )
