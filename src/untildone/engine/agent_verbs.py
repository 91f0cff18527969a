"""The verbs by which an agent reports: what each changes, and how a sandboxed shell relays them."""

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import asdict, replace

from untildone.core.agent_message import MAX_CLAIMS, truncate
from untildone.core.contract import Amendment, Claim, Contract, Verification
from untildone.core.criteria import apply_amendments
from untildone.core.progress import ClaimReport, Progress
from untildone.errors import UserError

# The line that a verb prints where its shell cannot write our state.
MARK = "untildone-verb: "
_MAX_NOTES = 50


class AgentVerb(Struct, frozen=True, kw_only=True):
    """A report: `name` is that of a claim, `text` the note, the reason or the evidence."""

    verb: str
    name: str = ""
    text: str = ""
    by: Verification = "assumption"


def apply_agent_verb(
    contract: Contract, progress: Progress, verb: AgentVerb, *, at: str
) -> Progress | None:
    """The progress after the verb; None where it is not one of the engine's own."""
    text = truncate(verb.text)
    match verb.verb:
        case "signal":
            return replace(progress, signalled=True)
        case "blocked":
            return replace(progress, blocked=text or "no reason given")
        case "note":
            return replace(progress, notes=(*progress.notes, text)[-_MAX_NOTES:])
        case "precheck":
            return replace(progress, precheck=text)
        case "met":
            return _report_met(contract, progress, verb)
        case "criterion":
            return _add_claim(contract, progress, verb, at)
        case _:
            return None


def _report_met(contract: Contract, progress: Progress, verb: AgentVerb) -> Progress:
    names = _list_claims(contract, progress)
    if verb.name not in names:
        known = ", ".join(f"`{name}`" for name in names) or "none"
        raise UserError(
            f"`{verb.name}` is not a claim of loop `{contract.id}` (claims: {known})",
            hint=f'`untildone criterion add "{verb.name}"` adds it; checks are run for you',
        )
    report = ClaimReport(by=verb.by, evidence=truncate(verb.text))
    return replace(progress, met={**progress.met, verb.name: report})


def _add_claim(contract: Contract, progress: Progress, verb: AgentVerb, at: str) -> Progress:
    """Adds the claim by an amendment: criteria are added, never taken away."""
    names = _list_claims(contract, progress)
    if not verb.name:
        raise UserError("the criterion is empty", hint="say it in words")
    if verb.name in names:
        raise UserError(
            f"`{verb.name}` is a criterion of loop `{contract.id}` already",
            hint=f'report it: `untildone met "{verb.name}" --by … --evidence …`',
        )
    if len(names) >= MAX_CLAIMS:
        raise UserError(
            f"loop `{contract.id}` has {MAX_CLAIMS} criteria, which is all it takes",
            hint="join what belongs together",
        )
    claim = Claim(name=verb.name, verification=verb.by)
    amendment = Amendment(by="agent", at=at, claim=claim)
    return replace(progress, amendments=(*progress.amendments, amendment))


def _list_claims(contract: Contract, progress: Progress) -> list[str]:
    return [claim.name for claim in apply_amendments(contract, progress.amendments).claims]


def format_verb(verb: AgentVerb) -> str:
    return MARK + json.dumps(asdict(verb))


def apply_relayed_verbs(
    contract: Contract,
    progress: Progress,
    calls: Iterable[Mapping[str, Any]],
    apply_of_feature: Callable[[Progress, AgentVerb], Progress],
) -> Progress:
    """The progress with the verbs that the output of these tool calls relays."""
    seen: set[object] = set()
    for call in calls:
        # Plugin and settings both installed spool every call twice.
        name = call.get("tool_use_id")
        if name and name in seen:
            continue
        seen.add(name)
        for verb in _read_verbs(call):
            # A refused verb changes nothing.
            with suppress(UserError):
                known = apply_agent_verb(contract, progress, verb, at="")
                progress = known or apply_of_feature(progress, verb)
    return progress


def _read_verbs(call: Mapping[str, Any]) -> list[AgentVerb]:
    """Reads only calls of untildone: what a file or another program prints is no verb."""
    response, inputs = call.get("tool_response"), call.get("tool_input")
    if call.get("tool_name") != "Bash" or not isinstance(response, dict):
        return []
    lines = [line for line in str(response.get("stdout", "")).splitlines() if MARK in line]
    if not lines or not isinstance(inputs, dict):
        return []
    from untildone.commands.shell import is_untildone, parse_calls

    calls = parse_calls(str(inputs.get("command", "")))
    called = {words[1] for words in calls if len(words) > 1 and is_untildone(words[0])}
    return [verb for verb in map(_parse_line, lines) if verb and verb.verb in called]


def _parse_line(line: str) -> AgentVerb | None:
    try:
        return convert(json.loads(line.removeprefix(MARK)), AgentVerb)
    except (ValueError, RecursionError, ValidationError):
        return None
