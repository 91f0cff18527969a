"""Money and minutes between tool calls: the installed line, the look, the pause."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from hooks.calls import SESSION, Answer, Place
from untildone.core.contract import Bounds
from untildone.core.criteria import apply_amendments
from untildone.engine import verbs
from untildone.engine.active_time import read_clock
from untildone.engine.grants import Grant
from untildone.errors import UserError
from untildone.install.hook_lines import HookProgram, build_lines
from untildone.store.loops import Record
from untildone.store.sessions import Session

LATER = "2999-01-01T00:00:00.000Z"


class Spending(Place):
    """A loop whose conversation cost 4 USD."""

    def __init__(self, folder: Path, **bounds: Any) -> None:  # noqa: ANN401  any bound
        super().__init__(folder)
        self.transcript = folder / "talk.jsonl"
        usage = {"input_tokens": 1_000_000, "output_tokens": 0}
        said = {"id": "a", "model": "claude-opus-5-5", "usage": usage}
        entry = json.dumps({"timestamp": LATER, "message": said})
        self.transcript.write_text(f"{entry}\n", encoding="utf-8")
        self.loop = self.start(bounds=Bounds(rounds=0, **bounds)).contract.id

    @property
    def session(self) -> Session:
        return self.context.session(SESSION)

    @property
    def record(self) -> Record:
        return self.context.loops.load(self.loop)

    @property
    def standing(self) -> tuple[str, str | None, str, int, float | None]:
        found = self.record.progress
        return found.status, found.outcome, found.reason, found.round, found.spend_usd

    def after_calls(self, **more: object) -> Answer:
        told = {"transcript_path": str(self.transcript), "tool_calls": [], **more}
        return self.call("PostToolBatch", self.payload("PostToolBatch", **told))

    def worked(self, minutes: float) -> None:
        boot, now = read_clock()
        progress = replace(self.record.progress, clock=(boot, now - 60 * minutes))
        self.context.loops.save(self.record, progress, kind="note", data={}, at="")


def test_a_budget_that_is_used_up_ends_the_turn_and_pauses_the_loop(tmp_path: Path) -> None:
    place = Spending(tmp_path, budget_usd=3)

    answer = place.after_calls()

    told = (
        "untildone: paused (out-of-budget): 4.00 of 3 USD, in the middle of round 1. The agent"
        " is no longer held; resume with `untildone continue --budget +N`"
    )
    assert answer.json == {"continue": False, "stopReason": told, "systemMessage": told}
    assert (answer.exit_code, answer.peak < 64 * 1024) == (0, True)
    assert place.standing == (
        "paused",
        "out-of-budget",
        "4.00 of 3 USD, in the middle of round 1",
        0,
        4,
    )
    assert (place.session.is_active(), place.session.has("meter")) == (False, False)
    receipt = (place.project / ".untildone" / "receipt.md").read_text(encoding="utf-8")
    assert "4.00 of 3 USD, in the middle of round 1" in receipt


def test_within_its_bounds_a_loop_goes_on_and_is_looked_at_later(tmp_path: Path) -> None:
    place = Spending(tmp_path, budget_usd=5, minutes=60)
    due, began = place.session.is_meter_due(), time.time()

    answer = place.after_calls()

    assert (answer.stdout, due, place.standing[0]) == (b"", True, "active")
    assert Path(place.session.path("meter")).stat().st_mtime >= began + 5


def test_a_continued_loop_is_looked_at_again(tmp_path: Path) -> None:
    place = Spending(tmp_path, budget_usd=3)
    place.after_calls()

    verbs.resume(place.context, place.loop, Grant(budget_usd=2))
    goes_on = place.after_calls()

    assert (goes_on.stdout, place.standing[0], place.session.has("meter")) == (b"", "active", True)


@pytest.mark.parametrize(
    ("grant", "message"),
    [
        (
            Grant(budget_usd=3.5, exact=("budget_usd",)),
            "a budget of 3.5 USD is used up: 4.00 are spent",
        ),
        (Grant(minutes=5), "a bound of 35 minutes is used up: 40 have passed"),
    ],
)
def test_a_grant_that_leaves_nothing_is_refused(tmp_path: Path, grant: Grant, message: str) -> None:
    place = Spending(tmp_path, budget_usd=3, minutes=30)
    place.worked(40)
    place.after_calls()

    with pytest.raises(UserError) as caught:
        verbs.resume(place.context, place.loop, replace(grant, budget_usd=grant.budget_usd or 9))

    assert caught.value.message == message


def test_a_subagent_ends_its_own_turn_and_leaves_the_loop_to_the_agent(tmp_path: Path) -> None:
    place = Spending(tmp_path, budget_usd=3)

    first = place.after_calls(agent_id="a1", agent_type="general-purpose")
    between = place.standing[0]
    place.after_calls()

    told = "untildone: 4.00 of 3 USD, in the middle of round 1"
    assert first.json == {"continue": False, "stopReason": told, "systemMessage": told}
    assert (between, place.standing[0]) == ("active", "paused")


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        ({"minutes": 30}, "30 minutes are used up, in the middle of round 1"),
        ({"round_minutes": 10}, "one round took 31 minutes, in the middle of round 1"),
    ],
)
def test_minutes_that_are_used_up(tmp_path: Path, bounds: dict[str, float], reason: str) -> None:
    place = Spending(tmp_path, **bounds)
    place.worked(31)

    place.after_calls()

    assert place.standing[:3] == ("paused", "out-of-time", reason)
    assert round(place.record.progress.active_seconds / 60) == 31


def test_a_payload_that_cannot_be_read_does_not_put_the_bound_off(tmp_path: Path) -> None:
    place = Spending(tmp_path, budget_usd=3)
    place.session.write_json("session.json", {"transcript": str(place.transcript)})

    place.call("PostToolBatch", b'{"tool_calls": "' + b"x" * 3_000_000)

    assert place.standing[:2] == ("paused", "out-of-budget")


def test_the_user_s_own_word_stands(tmp_path: Path) -> None:
    place = Spending(tmp_path, budget_usd=3)
    verbs.pause(place.context, place.loop)
    # The index of a moment ago.
    place.session.bind(place.loop, active=True)
    place.session.schedule_meter(0)

    answer = place.after_calls()

    assert (answer.stdout, place.standing[1]) == (b"", "paused")


def test_switched_off_by_the_user(tmp_path: Path) -> None:
    place = Spending(tmp_path, budget_usd=3)
    told = place.payload("PostToolBatch", transcript_path=str(place.transcript))

    answer = place.call(
        "PostToolBatch", told, environ={**place.environment(), "UNTILDONE_DISABLE": "1"}
    )

    assert (answer.stdout, place.standing[0]) == (b"", "active")


def test_a_loop_without_money_or_minutes_has_no_meter(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.start(bounds=Bounds(rounds=5, budget_usd=0))

    assert not place.context.session(SESSION).has("meter")


@pytest.mark.parametrize(
    ("due_in", "expected"),
    [(-1, b"PostToolBatch claude settings HOME\n"), (60, b""), (None, b"")],
)
def test_the_line_starts_no_interpreter_before_it_is_time(
    tmp_path: Path, due_in: float | None, expected: bytes
) -> None:
    session = Session(str(tmp_path), "claude", SESSION)
    session.bind("a1b2", active=True)
    if due_in is not None:
        session.schedule_meter(due_in)
    program = HookProgram(home=str(tmp_path), program="echo", arguments="", source="settings")

    done = subprocess.run(
        ["sh", "-c", build_lines(program)["PostToolBatch"]],
        env={"PATH": os.environ["PATH"], "CLAUDE_CODE_SESSION_ID": SESSION},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )

    assert done.stdout.replace(os.fsencode(tmp_path), b"HOME") == expected


@pytest.mark.parametrize(("minutes", "bound"), [(2, 30), (31, 60)])
def test_a_round_that_took_too_long_is_given_no_more_minutes(
    tmp_path: Path, minutes: float, bound: float
) -> None:
    place = Spending(tmp_path, minutes=30, round_minutes=1)
    place.worked(minutes)
    place.after_calls()
    assert place.record.progress.outcome == "out-of-time"

    resumed = verbs.resume(place.context, place.loop)

    assert apply_amendments(resumed.contract, resumed.progress.amendments).bounds.minutes == bound
