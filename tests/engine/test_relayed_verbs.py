"""Verbs of an agent whose shell cannot write our state, read from its tool calls."""

import json

import pytest

from core.samples import contract
from untildone.core.contract import Amendment, Claim
from untildone.core.progress import ClaimReport, Progress
from untildone.engine.relayed_verbs import MARK, Verb, handed_over, printed
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


def apply_steps(progress: Progress, verb: Verb) -> Progress:
    return FEATURE.apply_verb(ASKED, progress, verb) if verb.verb == "steps" else progress


def read_calls(calls: list[dict[str, object]]) -> Progress:
    return handed_over(ASKED, Progress(), calls, apply_steps)


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
        (Verb(verb="signal"), Progress(signalled=True)),
        (Verb(verb="blocked", text="no key"), Progress(blocked="no key")),
        (Verb(verb="blocked"), Progress(blocked="no reason given")),
        (Verb(verb="note", text="a $(b) 'c'"), Progress(notes=("a $(b) 'c'",))),
        (
            Verb(verb="met", name="docs", by="review", text="read"),
            Progress(met={"docs": ClaimReport(by="review", evidence="read")}),
        ),
        (Verb(verb="met", name="other", by="review", text="read"), Progress()),
        (
            Verb(verb="criterion", name="fast", by="measurement"),
            Progress(
                amendments=(
                    Amendment(
                        by="agent", at="", claim=Claim(name="fast", verification="measurement")
                    ),
                )
            ),
        ),
        (Verb(verb="criterion", name="docs"), Progress()),
        (Verb(verb="criterion"), Progress()),
        (Verb(verb="precheck", text="looked"), Progress(precheck="looked")),
        (
            Verb(verb="steps", name="set", text="new"),
            Progress(amendments=(Amendment(by="agent", at="", steps=("new",)),)),
        ),
        (Verb(verb="steps", name="done", text="known"), Progress(steps_done=("known",))),
        (Verb(verb="steps", name="done", text="unknown"), Progress()),
        (Verb(verb="cancel"), Progress()),
        (Verb(verb="continue", text="--rounds +50"), Progress()),
        (Verb(verb="approve", name="L1"), Progress()),
    ],
)
def test_the_agents_own_verbs_and_no_others(verb: Verb, expected: Progress) -> None:
    assert read_calls([call("before", printed(verb), "after")]) == expected


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"tool_name": "Bash"},
        {"tool_name": "Bash", "tool_response": "text"},
        {"tool_name": "Bash", "tool_response": {"stdout": None}},
        call(printed(Verb(verb="signal")), tool="Read"),
        call(f"  {printed(Verb(verb='signal'))}"),
        call(printed(Verb(verb="signal")), command="cat README.md"),
        call(printed(Verb(verb="signal")), command="untildone note hello"),
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
    said = call(printed(Verb(verb="note", text="a")), name="toolu_1")
    other = call(printed(Verb(verb="note", text="b")), name="toolu_2")

    assert read_calls([said, said, other]).notes == ("a", "b")


def test_notes_are_kept_to_the_last_fifty() -> None:
    many = call(*(printed(Verb(verb="note", text=str(number))) for number in range(60)))

    assert read_calls([many]).notes == tuple(map(str, range(10, 60)))
