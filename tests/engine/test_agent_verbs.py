"""Verbs of an agent whose shell cannot write our state, read from its tool calls."""

import json

import pytest

from core.samples import contract
from untildone.core.contract import Amendment, Claim
from untildone.core.progress import ClaimReport, Progress
from untildone.engine.agent_verbs import MARK, AgentVerb, apply_relayed_verbs, format_verb
from untildone.features.spec.feature import FEATURE

ASKED = contract(claims=(Claim(name="docs"),), steps=("known",))


EVERY_VERB = "; ".join(
    f"untildone {verb} x"
    for verb in (
        "signal",
        "blocked",
        "note",
        "met",
        "criterion",
        "cancel",
        "continue",
        "approve",
        "steps",
        "precheck",
    )
)


def apply_steps(progress: Progress, verb: AgentVerb) -> Progress:
    return FEATURE.apply_verb(ASKED, progress, verb) if verb.verb == "steps" else progress


def read_calls(calls: list[dict[str, object]]) -> Progress:
    return apply_relayed_verbs(ASKED, Progress(), calls, apply_steps)


def call(
    *lines: str, tool: str = "Bash", name: str = "", command: str = EVERY_VERB
) -> dict[str, object]:
    return {
        "tool_name": tool,
        "tool_use_id": name,
        "tool_input": {"command": command},
        "tool_response": {"stdout": "\n".join(lines)},
    }


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        (AgentVerb(verb="signal"), Progress(signalled=True)),
        (AgentVerb(verb="blocked", text="no key"), Progress(blocked="no key")),
        (AgentVerb(verb="blocked"), Progress(blocked="no reason given")),
        (AgentVerb(verb="note", text="a $(b) 'c'"), Progress(notes=("a $(b) 'c'",))),
        (
            AgentVerb(verb="met", name="docs", by="review", text="read"),
            Progress(met={"docs": ClaimReport(by="review", evidence="read")}),
        ),
        (AgentVerb(verb="met", name="other", by="review", text="read"), Progress()),
        (
            AgentVerb(verb="criterion", name="fast", by="measurement"),
            Progress(
                amendments=(
                    Amendment(
                        by="agent", at="", claim=Claim(name="fast", verification="measurement")
                    ),
                )
            ),
        ),
        (AgentVerb(verb="criterion", name="docs"), Progress()),
        (AgentVerb(verb="criterion"), Progress()),
        (AgentVerb(verb="precheck", text="looked"), Progress(precheck="looked")),
        (
            AgentVerb(verb="steps", name="set", text="new"),
            Progress(amendments=(Amendment(by="agent", at="", steps=("new",)),)),
        ),
        (AgentVerb(verb="steps", name="done", text="known"), Progress(steps_done=("known",))),
        (AgentVerb(verb="steps", name="done", text="unknown"), Progress()),
        (AgentVerb(verb="cancel"), Progress()),
        (AgentVerb(verb="continue", text="--rounds +50"), Progress()),
        (AgentVerb(verb="approve", name="L1"), Progress()),
    ],
)
def test_the_agents_own_verbs_and_no_others(verb: AgentVerb, expected: Progress) -> None:
    assert read_calls([call("before", format_verb(verb), "after")]) == expected


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"tool_name": "Bash"},
        {"tool_name": "Bash", "tool_response": "text"},
        {"tool_name": "Bash", "tool_response": {"stdout": None}},
        call(format_verb(AgentVerb(verb="signal")), tool="Read"),
        call(f"  {format_verb(AgentVerb(verb='signal'))}"),
        call(format_verb(AgentVerb(verb="signal")), command="cat README.md"),
        call(format_verb(AgentVerb(verb="signal")), command="untildone note hello"),
        call(MARK + "not JSON"),
        call(MARK + "[]"),
        call(MARK + "[" * 100_000),
        call(MARK + json.dumps({"verb": "signal", "by": "magic"})),
        call(MARK + json.dumps({"verb": 5})),
    ],
)
def test_what_no_verb_printed_changes_nothing(given: dict[str, object]) -> None:
    assert read_calls([given]) == Progress()


def test_a_call_spooled_twice_counts_once() -> None:
    said = call(format_verb(AgentVerb(verb="note", text="a")), name="toolu_1")
    other = call(format_verb(AgentVerb(verb="note", text="b")), name="toolu_2")

    assert read_calls([said, said, other]).notes == ("a", "b")


def test_notes_are_kept_to_the_last_fifty() -> None:
    many = call(*(format_verb(AgentVerb(verb="note", text=str(number))) for number in range(60)))

    assert read_calls([many]).notes == tuple(map(str, range(10, 60)))
