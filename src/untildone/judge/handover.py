"""Verbs of the agent whose shell could not write our state: read from its tool calls instead."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from untildone.loop.criteria import agreed
from untildone.loop.model import Amendment, Claim, Contract, Met, Progress, Verification

# The line a verb prints where it could not record itself; the agent's own authority, no more.
MARK = "untildone-verb: "


class Verb(Struct, frozen=True, kw_only=True):
    verb: str
    name: str = ""
    text: str = ""
    by: Verification = "assumption"


def printed(verb: Verb) -> str:
    return MARK + json.dumps(
        {"verb": verb.verb, "name": verb.name, "text": verb.text, "by": verb.by}
    )


def handed_over(
    contract: Contract, progress: Progress, calls: Iterable[Mapping[str, Any]]
) -> Progress:
    seen: set[object] = set()
    for call in calls:
        # Plugin and settings both installed spool every call twice.
        name = call.get("tool_use_id")
        if name and name in seen:
            continue
        seen.add(name)
        for verb in _verbs(call):
            progress = _applied(contract, progress, verb)
    return progress


def _verbs(call: Mapping[str, Any]) -> list[Verb]:
    response = call.get("tool_response")
    if call.get("tool_name") != "Bash" or not isinstance(response, dict):
        return []
    lines = str(response.get("stdout", "")).splitlines()
    found = []
    for line in lines:
        if line.startswith(MARK):
            try:
                found.append(convert(json.loads(line.removeprefix(MARK)), Verb))
            except (ValueError, ValidationError):
                continue
    return found


def _applied(contract: Contract, progress: Progress, verb: Verb) -> Progress:
    claims = [claim.name for claim in agreed(contract, progress.amendments).claims]
    match verb.verb:
        case "signal":
            return replace(progress, signalled=True)
        case "blocked":
            return replace(progress, blocked=verb.text or "no reason given")
        case "note":
            return replace(progress, notes=(*progress.notes, verb.text)[-50:])
        case "met" if verb.name in claims:
            report = Met(by=verb.by, evidence=verb.text)
            return replace(progress, met={**progress.met, verb.name: report})
        case "criterion" if verb.name and verb.name not in claims:
            claim = Claim(name=verb.name, verification=verb.by)
            amendment = Amendment(by="agent", at="", claim=claim)
            return replace(progress, amendments=(*progress.amendments, amendment))
        case _:
            return progress
