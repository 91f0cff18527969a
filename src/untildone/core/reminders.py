"""Reminders to the agent of a loop from a spec: workflow, steps, contradictions of its report."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from untildone.core.agent_message import normalize
from untildone.core.check_results import CheckResult
from untildone.core.contract import Contract
from untildone.core.criteria import PRECHECK, index_results, lacks_precheck
from untildone.core.evidence import Evidence, StatusBlock
from untildone.core.progress import Progress
from untildone.core.stagnation import count_stale_rounds, get_round_state

# What the agent of a loop without any criterion does first.
CRITERIA_STEP = (
    "Name what must be true in the end, each with `untildone criterion add NAME --by"
    " execution|observation|measurement|review`; report each with `untildone met NAME --by …"
    " --evidence TEXT` when you have verified it, then run `untildone signal`."
)
_MAX_LENGTH = 200
_MAX_LINES = 6
_MAX_SPEC = 20_000


class Workflow(Struct, frozen=True, kw_only=True):
    """A kind of work a spec asks for, its first step, and the words that indicate it."""

    name: Literal["build", "debug", "refactor"]
    letter: str
    first: str
    words: str


_WORKFLOWS = (
    Workflow(
        name="build",
        letter="A",
        first="look for a library that does it before you write it yourself",
        words=r"add|implement|create|build|write|introduce|new feature",
    ),
    Workflow(
        name="debug",
        letter="B",
        first="find the root cause before any workaround",
        words=r"fix|debug|broken|errors?|failing|fails?|bugs?|crash(?:es)?|regression",
    ),
    Workflow(
        name="refactor",
        letter="C",
        first="delete what is not needed before you redesign",
        words=r"refactor|clean ?up|reorgani[sz]e|restructure|migrate|simplify|port|rename",
    ),
)


def classify_workflow(spec: str) -> Workflow | None:
    """Return the kind of work whose word comes first: "fix the new feature" is debugging."""
    found = (
        (match.start(), kind)
        for kind in _WORKFLOWS
        if (match := re.search(rf"(?i)\b(?:{kind.words})\b", spec[:_MAX_SPEC]))
    )
    return min(found, key=lambda item: item[0], default=(0, None))[1]


def list_reminders(contract: Contract, progress: Progress) -> list[str]:
    """Return lines on the constraints, the kind of work, the pre-check and the current step."""
    lines = [f"Must not: {limit[:_MAX_LENGTH]}" for limit in contract.limits]
    kind = classify_workflow(contract.task) if contract.preset == "loop" else None
    if kind:
        lines.append(f"Workflow {kind.letter} ({kind.name}): {kind.first}.")
    if lacks_precheck(contract, progress):
        lines.append(
            "This is hard to take back (type 1). Before you change anything, think of how it could"
            f" go wrong and record it: `untildone {PRECHECK} --evidence TEXT`."
        )
    left = [step for step in contract.steps if step not in progress.steps_done]
    if left:
        done = len(contract.steps) - len(left)
        lines.append(
            f"Step {done + 1} of {len(contract.steps)}: {left[0][:_MAX_LENGTH]}."
            " `untildone steps done STEP` when it is."
        )
    return lines


def list_contradictions(contract: Contract, progress: Progress, evidence: Evidence) -> list[str]:
    """Return lines for the agent, with a heading, if its status block is wrong."""
    found = find_contradictions(contract, progress, evidence)
    head = ["Your status block does not agree with what is known:"] if found else []
    return head + [f"- {line[:_MAX_LENGTH]}" for line in found]


def find_contradictions(
    contract: Contract, progress: Progress, evidence: Evidence
) -> tuple[str, ...]:
    """Return a line for each contradiction: what the agent reported, and what is known."""
    block = evidence.status or StatusBlock()
    found = [
        line
        for name, holds in block.criteria.items()
        if (line := _contradict(contract, progress, evidence, name=name, holds=holds))
    ]
    state = get_round_state(contract, progress, evidence)
    if block.exit_signal and state.unmet:
        found.append(f"`EXIT_SIGNAL: true`, but unmet: {', '.join(state.unmet[:_MAX_LINES])}")
    stale = count_stale_rounds(progress, state)
    if block.stuck is not None and block.stuck < stale:
        found.append(f"`STUCK_COUNT: {block.stuck}`, but nothing has moved in {stale} rounds")
    return tuple(found[:_MAX_LINES])


def _contradict(
    contract: Contract, progress: Progress, evidence: Evidence, *, name: str, holds: bool
) -> str:
    """Return what is known that differs from the agent's `name: holds`, or an empty text."""
    check = _find_name(name, index_results(evidence))
    if check:
        result = index_results(evidence)[check]
        known = f"the check `{check}` is {result.outcome}"
        return f"`{name}`: {str(holds).lower()}, but {known}" if holds != result.green else ""
    claim = _find_name(name, [claim.name for claim in contract.claims])
    meant = _find_meant_check(name, index_results(evidence)) if holds else None
    if meant and not meant.green:
        return f"`{name}`: true, but the check `{meant.name}` is {meant.outcome}"
    if not claim and meant:
        return ""
    if not claim:
        return f"`{name}` is no criterion of this loop: `untildone criterion add` makes it one"
    report = progress.met.get(claim)
    counts = report is not None and report.by != "assumption"
    if holds and not counts:
        how = "only assumed" if report else "not reported with `untildone met`"
        return f"`{name}`: true, but it is {how}"
    return f"`{name}`: false, but it is recorded as met" if counts and not holds else ""


def _find_meant_check(name: str, results: Mapping[str, CheckResult]) -> CheckResult | None:
    """Return the check that a criterion in the agent's own words names: `test` of "tests pass"."""
    words = _split_words(name)
    named = [result for check, result in results.items() if words & _split_words(check)]
    return next((result for result in named if not result.green), named[0] if named else None)


def _split_words(text: str) -> set[str]:
    """Return the words in the singular, without `check`, which says nothing."""
    words = {word.rstrip("s") for word in re.findall(r"[^\W\d_]+", text.casefold())}
    return words - {"check", ""}


def _find_name(name: str, known: Iterable[str]) -> str:
    return next(
        (known_name for known_name in known if normalize(known_name) == normalize(name)), ""
    )
