"""Is a task done: what we check ourselves, what a verifier must show, what that comes to."""

import re
import sys
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.agent_message import strip_quotations, truncate
from untildone.core.contract import Check, Verification
from untildone.core.plan_task import TaskReport, VerifierResult
from untildone.features.plans.conditions import (
    Command,
    Condition,
    FileContains,
    HttpStatus,
    parse_condition,
)
from untildone.features.plans.model import Plan, Task
from untildone.process import quoted

_MARKER = re.compile(
    r"<(task-loop-complete|feature-task-complete)>\s*(VERIFIED|INCOMPLETE|BLOCKED|MISALIGNED)\s*</\1>"
)
_PROMISE = re.compile(
    r"(?m)^##+[ \t]+Completion Promise[ \t]*\n+(?:[ \t]*<promise>)?[ \t]*(?P<text>\S.*?)[ \t]*"
    r"(?:</promise>)?[ \t]*$"
)
_LONGEST_NAME = 120
_UNSHOWN = "no evidence was given"


class CriterionEvidence(Struct, frozen=True, kw_only=True):
    """What a verifier says of one criterion; an assumption never counts."""

    met: bool
    evidence: str
    by: Verification = "review"


class VerifierReport(Struct, frozen=True, kw_only=True):
    """A verifier's structured result, by the text of each criterion."""

    result: VerifierResult
    criteria: dict[str, CriterionEvidence] = {}
    reason: str = ""


def list_task_checks(task: Task) -> tuple[Check, ...]:
    """The task's own checks, then those its criteria and tests come to; run only when trusted."""
    return merge_checks((*_given(task), *_derived(task)))


def merge_checks(checks: Iterable[Check]) -> tuple[Check, ...]:
    """One for each command, and names that tell them apart."""
    found: dict[str, Check] = {}
    for check in checks:
        found.setdefault(check.command, check)
    names: dict[str, Check] = {}
    for check in found.values():
        name = check.name if check.name not in names else f"{check.name} ({len(names) + 1})"
        names[name] = replace(check, name=name)
    return tuple(names.values())


def list_review_criteria(task: Task) -> tuple[str, ...]:
    """The sentences that need a reader: a verifier's evidence, or the prompt's own promise."""
    return tuple(sentence for sentence, condition in _conditions(task).items() if condition is None)


def find_promise(task: Task) -> str:
    """The text of the prompt's `## Completion Promise`, or nothing."""
    found = _PROMISE.search(task.prompt)
    return found["text"].strip() if found else ""


def find_result_marker(message: str) -> VerifierResult | None:
    """The seed's marker, the last one that is said and not merely shown."""
    found = _MARKER.findall(strip_quotations(message))
    return found[-1][1] if found else None


def assess_report(report: VerifierReport, criteria: Iterable[str]) -> TaskReport:
    """Of `criteria`, evidence must show each; what is denied is missing, whatever the result."""
    missing = {
        name: truncate(seen.evidence) for name, seen in report.criteria.items() if not seen.met
    }
    result = report.result
    if result == "VERIFIED":
        unshown = (name for name in criteria if not _is_shown(report.criteria.get(name)))
        missing = {**dict.fromkeys(unshown, _UNSHOWN), **missing}
        result = "INCOMPLETE" if missing else result
    return TaskReport(result=result, missing=missing, reason=truncate(report.reason))


def list_commands(plan: Plan) -> tuple[str, ...]:
    """What running this plan would run and allow, in order: that is what the person trusts."""
    found: dict[str, None] = {}
    for task in plan.tasks.values():
        found |= dict.fromkeys(check.command for check in list_task_checks(task))
        found |= dict.fromkeys(f"allow {allowed}" for allowed in task.allow)
    return tuple(found)


def _is_shown(shown: CriterionEvidence | None) -> bool:
    return (
        shown is not None
        and shown.met
        and shown.by != "assumption"
        and bool(shown.evidence.strip())
    )


def _conditions(task: Task) -> dict[str, Condition | None]:
    criteria = {text: parse_condition(text) for text in task.acceptance_criteria if text.strip()}
    tests = {text: parse_condition(text, testing=True) for text in task.testing if text.strip()}
    return {**criteria, **tests}


def _given(task: Task) -> Iterator[Check]:
    for check in task.checks:
        yield check if isinstance(check, Check) else Check(name=_name(check), command=check)


def _derived(task: Task) -> Iterator[Check]:
    for sentence, condition in _conditions(task).items():
        if condition is not None:
            yield Check(name=_name(sentence), command=_line(condition), reason="the plan says so")


def _name(sentence: str) -> str:
    text = " ".join(sentence.split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 2] + " …"


def _line(condition: Condition) -> str:
    match condition:
        case Command(line=line):
            return line
        case FileContains(path=path, text=text):
            return _probe("contains", path, text)
        case HttpStatus(method=method, url=url, code=code):
            return _probe("answers", method, url, str(code))


def _probe(*words: str) -> str:
    """`--`: a text may begin with a dash."""
    kind, *given = words
    argv = (sys.executable, "-I", "-m", "untildone.features.plans.probe", kind, "--", *given)
    return " ".join(map(quoted, argv))
