"""The agent's reports: `untildone met`, `note`, `blocked` and other verbs it runs in its shell.

Outside of a sandbox the command saves the report itself. In a shell that cannot write our state it
prints a line instead, which the hooks find in the tool call's output and relay to the next stop:

    untildone-verb: {"verb": "note", "name": "", "text": "parser is done", "by": "assumption"}
"""

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

# The beginning of that line.
MARK = "untildone-verb: "
_MAX_NOTES = 50


class AgentVerb(Struct, frozen=True, kw_only=True):
    """One report; which fields are used depends on the verb.

    `name` is the claim's for `met` and `criterion` (claims are the criteria that no command can
    check), `text` the note, the reason or the evidence. `by` is how the agent has verified the
    claim, with `criterion` how it will have to.
    """

    verb: str
    name: str = ""
    text: str = ""
    by: Verification = "assumption"


def apply_agent_verb(
    contract: Contract, progress: Progress, verb: AgentVerb, *, at: str
) -> Progress | None:
    """Return the progress after the report; None if the verb belongs to a feature.

    Raises UserError if the report is refused.
    """
    text = truncate(verb.text)
    match verb.verb:
        # "The work is done."
        case "signal":
            return replace(progress, signalled=True)
        case "blocked":
            return replace(progress, blocked=text or "no reason given")
        case "note":
            return replace(progress, notes=(*progress.notes, text)[-_MAX_NOTES:])
        # How a change that is hard to undo could go wrong, written before it is made.
        case "precheck":
            return replace(progress, precheck=text)
        case "met":
            return _report_met(contract, progress, verb)
        case "criterion":
            return _add_claim(contract, progress, verb, at)
        case _:
            return None


def _report_met(contract: Contract, progress: Progress, verb: AgentVerb) -> Progress:
    """Return the progress with the claim reported as met; the claim must exist."""
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
    """Return the progress with an amendment that adds the claim to the contract.

    An agent can add claims, never remove them. Messages call them criteria, as the verb does.
    """
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
    """Return the line by which a sandboxed shell relays the report."""
    return MARK + json.dumps(asdict(verb))


def apply_relayed_verbs(
    contract: Contract,
    progress: Progress,
    calls: Iterable[Mapping[str, Any]],
    apply_feature_verb: Callable[[Progress, AgentVerb], Progress],
) -> Progress:
    """Return the progress with the reports that the output of these tool calls relays."""
    seen_ids: set[object] = set()
    for call in calls:
        # With both the plugin and the settings installed, two hooks store every call.
        call_id = call.get("tool_use_id")
        if call_id and call_id in seen_ids:
            continue
        seen_ids.add(call_id)
        for verb in _read_verbs(call):
            # A refused verb changes nothing. The line does not say when the agent called it.
            with suppress(UserError):
                changed = apply_agent_verb(contract, progress, verb, at="")
                progress = changed or apply_feature_verb(progress, verb)
    return progress


def _read_verbs(call: Mapping[str, Any]) -> list[AgentVerb]:
    """Return the reports in the output of a shell command that calls untildone with these verbs.

    `cat notes.txt` may print such a line too: it is no report, as its command calls no verb.
    """
    response, inputs = call.get("tool_response"), call.get("tool_input")
    if call.get("tool_name") != "Bash" or not isinstance(response, dict):
        return []
    lines = [line for line in str(response.get("stdout", "")).splitlines() if MARK in line]
    if not lines or not isinstance(inputs, dict):
        return []
    from untildone.commands.shell import is_untildone, parse_calls

    commands = parse_calls(str(inputs.get("command", "")))
    called_verbs = {words[1] for words in commands if len(words) > 1 and is_untildone(words[0])}
    return [verb for verb in map(_parse_line, lines) if verb and verb.verb in called_verbs]


def _parse_line(line: str) -> AgentVerb | None:
    """Return the report of a line that `format_verb` wrote; None if it is malformed."""
    try:
        return convert(json.loads(line.removeprefix(MARK)), AgentVerb)
    except (ValueError, RecursionError, ValidationError):
        return None
