"""Is a task done: what we check ourselves, what a verifier must show, what both come to."""

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from untildone.loop.model import Check, Verification
from untildone.loop.words import promises_said, spoken
from untildone.plans.conditions import Answers, Command, Condition, FileContains, condition_of
from untildone.plans.model import Plan, Task
from untildone.process import quoted

Result: TypeAlias = Literal["VERIFIED", "INCOMPLETE", "BLOCKED", "MISALIGNED"]
RESULTS: tuple[Result, ...] = get_args(Result)
_MARKER = re.compile(
    r"<(task-loop-complete|feature-task-complete)>\s*(VERIFIED|INCOMPLETE|BLOCKED|MISALIGNED)\s*</\1>"
)
_PROMISE = re.compile(
    r"(?m)^##+[ \t]+Completion Promise[ \t]*\n+(?:[ \t]*<promise>)?[ \t]*(?P<text>\S.*?)[ \t]*"
    r"(?:</promise>)?[ \t]*$"
)
_LONGEST_NAME = 120


class Shown(Struct, frozen=True, kw_only=True):
    """What a verifier says of one criterion; an assumption never counts."""

    met: bool
    evidence: str
    by: Verification = "review"


class Report(Struct, frozen=True, kw_only=True):
    """A verifier's structured result, by the text of each criterion."""

    result: Result
    criteria: dict[str, Shown] = {}
    reason: str = ""


class Verified(Struct, frozen=True, kw_only=True):
    """What the report comes to beside the checks; `by_words` rests on the verifier alone."""

    result: Result
    missing: tuple[str, ...] = ()
    by_words: tuple[str, ...] = ()
    reason: str = ""


def checks_of(task: Task) -> tuple[Check, ...]:
    """The task's own checks, then those its criteria and tests come to; run only when trusted."""
    found: dict[str, Check] = {}
    for check in (*_given(task), *_derived(task).values()):
        found.setdefault(check.command, check)
    names: dict[str, Check] = {}
    for check in found.values():
        name = check.name if check.name not in names else f"{check.name} ({len(names) + 1})"
        names[name] = replace(check, name=name)
    return tuple(names.values())


def checked_by(task: Task) -> dict[str, str]:
    """The name of the check that tells of each sentence that a check can tell of."""
    names = {check.command: check.name for check in checks_of(task)}
    return {sentence: names[check.command] for sentence, check in _derived(task).items()}


def subjective(task: Task) -> tuple[str, ...]:
    """The sentences that need a reader: a verifier's evidence, or the prompt's own promise."""
    return tuple(sentence for sentence, condition in _conditions(task).items() if condition is None)


def promise_of(task: Task) -> str:
    """The text of the prompt's `## Completion Promise`, or nothing."""
    found = _PROMISE.search(task.prompt)
    return found["text"].strip() if found else ""


def result_said(message: str) -> Result | None:
    """The seed's marker, the last one that is said and not merely shown."""
    found = _MARKER.findall(spoken(message))
    return found[-1][1] if found else None


def promised(task: Task, message: str) -> bool:
    promise = promise_of(task)
    return bool(promise and promises_said(message, (promise,)))


def verified(
    task: Task, report: Report, passed: Mapping[str, bool], *, promise: bool = False
) -> Verified:
    """`passed` tells of checks by name. Nothing is verified that a check or evidence denies."""
    names = [check.name for check in checks_of(task)]
    red = [name for name in names if not passed.get(name, False)]
    unshown = [
        sentence
        for sentence in subjective(task)
        if not promise and not _is_shown(report.criteria.get(sentence))
    ]
    denied = [name for name, shown in report.criteria.items() if not shown.met]
    missing = tuple(dict.fromkeys((*red, *unshown, *denied)))
    result = report.result
    if result == "VERIFIED" and missing:
        result = "INCOMPLETE"
    return Verified(
        result=result,
        missing=missing,
        by_words=tuple(text for text in subjective(task) if text not in missing),
        reason=report.reason,
    )


def commands_of(plan: Plan) -> tuple[str, ...]:
    """What running this plan would run and allow, in order: that is what the person trusts."""
    found: dict[str, None] = {}
    for task in plan.tasks.values():
        found |= dict.fromkeys(check.command for check in checks_of(task))
        found |= dict.fromkeys(f"allow {allowed}" for allowed in task.allow)
    return tuple(found)


def _is_shown(shown: Shown | None) -> bool:
    return (
        shown is not None
        and shown.met
        and shown.by != "assumption"
        and bool(shown.evidence.strip())
    )


def _conditions(task: Task) -> dict[str, Condition | None]:
    criteria = {text: condition_of(text) for text in task.acceptance_criteria if text.strip()}
    tests = {text: condition_of(text, testing=True) for text in task.testing if text.strip()}
    return {**criteria, **tests}


def _given(task: Task) -> Iterator[Check]:
    for check in task.checks:
        yield check if isinstance(check, Check) else Check(name=_name(check), command=check)


def _derived(task: Task) -> dict[str, Check]:
    return {
        sentence: Check(name=_name(sentence), command=_line(condition), reason="the plan says so")
        for sentence, condition in _conditions(task).items()
        if condition is not None
    }


def _name(sentence: str) -> str:
    text = " ".join(sentence.split())
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 2] + " …"


def _line(condition: Condition) -> str:
    match condition:
        case Command(line=line):
            return line
        case FileContains(path=path, text=text):
            return _probe("contains", path, text)
        case Answers(method=method, url=url, code=code):
            return _probe("answers", method, url, str(code))


def _probe(*words: str) -> str:
    """`--`: a text may begin with a dash."""
    kind, *given = words
    argv = (sys.executable, "-I", "-m", "untildone.plans.probe", kind, "--", *given)
    return " ".join(map(quoted, argv))
