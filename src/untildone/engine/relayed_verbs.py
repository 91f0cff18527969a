"""Verbs that the agent's shell could not record, read from the output of its tool calls."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from untildone.core.agent_message import MAX_CLAIMS, truncate
from untildone.core.contract import Amendment, Claim, Contract, Verification
from untildone.core.criteria import apply_amendments
from untildone.core.progress import ClaimReport, Progress

# The line a verb prints where it could not record itself; the agent's own authority, no more.
MARK = "untildone-verb: "


class RelayedVerb(Struct, frozen=True, kw_only=True):
    verb: str
    name: str = ""
    text: str = ""
    by: Verification = "assumption"


def format_verb(verb: RelayedVerb) -> str:
    return MARK + json.dumps(
        {"verb": verb.verb, "name": verb.name, "text": verb.text, "by": verb.by}
    )


def apply_relayed_verbs(
    contract: Contract,
    progress: Progress,
    calls: Iterable[Mapping[str, Any]],
    apply_of_feature: Callable[[Progress, RelayedVerb], Progress],
) -> Progress:
    seen: set[object] = set()
    for call in calls:
        # Plugin and settings both installed spool every call twice.
        name = call.get("tool_use_id")
        if name and name in seen:
            continue
        seen.add(name)
        for verb in _read_verbs(call):
            known = _apply(contract, progress, verb)
            progress = known or apply_of_feature(progress, verb)
    return progress


def _read_verbs(call: Mapping[str, Any]) -> list[RelayedVerb]:
    """Reads only calls of untildone: what a file or another program prints is no verb."""
    response, inputs = call.get("tool_response"), call.get("tool_input")
    if call.get("tool_name") != "Bash" or not isinstance(response, dict):
        return []
    lines = [line for line in str(response.get("stdout", "")).splitlines() if MARK in line]
    if not lines or not isinstance(inputs, dict):
        return []
    from untildone.commands.shell import is_untildone, parse_calls

    called = {
        words[1]
        for words in parse_calls(str(inputs.get("command", "")))
        if _is_verb_call(words, is_untildone)
    }
    return [verb for verb in map(_parse_line, lines) if verb and verb.verb in called]


def _is_verb_call(words: list[str], ours: Callable[[str], bool]) -> bool:
    return len(words) > 1 and ours(words[0])


def _parse_line(line: str) -> RelayedVerb | None:
    try:
        return convert(json.loads(line.removeprefix(MARK)), RelayedVerb)
    except (ValueError, RecursionError, ValidationError):
        return None


def _apply(contract: Contract, progress: Progress, verb: RelayedVerb) -> Progress | None:
    """None where the verb is not one of the engine's own."""
    claims = [claim.name for claim in apply_amendments(contract, progress.amendments).claims]
    match verb.verb:
        case "signal":
            return replace(progress, signalled=True)
        case "blocked":
            return replace(progress, blocked=truncate(verb.text) or "no reason given")
        case "note":
            return replace(progress, notes=(*progress.notes, truncate(verb.text))[-50:])
        case "met" if verb.name in claims:
            report = ClaimReport(by=verb.by, evidence=truncate(verb.text))
            return replace(progress, met={**progress.met, verb.name: report})
        case "criterion" if verb.name and verb.name not in claims and len(claims) < MAX_CLAIMS:
            claim = Claim(name=verb.name, verification=verb.by)
            amendment = Amendment(by="agent", at="", claim=claim)
            return replace(progress, amendments=(*progress.amendments, amendment))
        case "precheck":
            return replace(progress, precheck=truncate(verb.text))
        case "met" | "criterion":
            return progress
        case _:
            return None
