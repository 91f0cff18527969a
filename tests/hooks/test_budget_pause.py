"""Money and minutes between tool calls: the installed line, the look, the pause."""

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from endings import RECEIPT, hide_effort
from hooks.world import Answer, HookWorld
from untildone.core.contract import Bounds
from untildone.core.criteria import apply_amendments
from untildone.engine import verbs
from untildone.engine.active_time import read_clock
from untildone.engine.grants import Grant
from untildone.errors import UserError
from untildone.install.claude_lines import HookProgram, build_lines
from untildone.store.sessions import Session
from world import SESSION

LATER = "2999-01-01T00:00:00.000Z"


class Spending(HookWorld):
    """A loop whose conversation cost 4 USD."""

    def __init__(self, folder: Path, **bounds: Any) -> None:  # noqa: ANN401  any bound
        super().__init__(folder)
        self.transcript = folder / "talk.jsonl"
        usage = {"input_tokens": 1_000_000, "output_tokens": 0}
        said = {"id": "a", "model": "claude-opus-5-5", "usage": usage}
        entry = json.dumps({"timestamp": LATER, "message": said})
        self.transcript.write_text(f"{entry}\n", encoding="utf-8")
        self.start(bounds=Bounds(rounds=0, **bounds))

    @property
    def standing(self) -> tuple[str, str | None, str, int, float | None]:
        found = self.record.progress
        return found.status, found.outcome, found.reason, found.round, found.spend_usd

    def after_calls(self, **more: object) -> Answer:
        reported = {"transcript_path": str(self.transcript), "tool_calls": [], **more}
        return self.run_hook("PostToolBatch", self.payload("PostToolBatch", **reported))

    def worked(self, minutes: float) -> None:
        boot, now = read_clock()
        progress = replace(self.record.progress, clock=(boot, now - 60 * minutes))
        self.context.loops.save(self.record, progress, kind="note", data={}, at="")


def test_a_budget_that_is_used_up_ends_the_turn_and_pauses_the_loop(tmp_path: Path) -> None:
    world = Spending(tmp_path, budget_usd=3)

    answer = world.after_calls()

    reported = (
        "untildone: paused (out-of-budget): 4.00 of 3 USD, in the middle of round 1. The agent"
        " is no longer held; resume with `untildone continue --budget +N`"
        f" | 0 rounds, {RECEIPT}"
    )
    assert json.loads(hide_effort(answer.stdout.decode())) == {
        "continue": False,
        "stopReason": reported,
        "systemMessage": reported,
    }
    assert (answer.exit_code, answer.peak < 64 * 1024) == (0, True)
    assert world.standing == (
        "paused",
        "out-of-budget",
        "4.00 of 3 USD, in the middle of round 1",
        0,
        4,
    )
    assert (world.session.is_active(), world.session.has("meter")) == (False, False)
    receipt = (world.project / ".untildone" / "receipt.md").read_text(encoding="utf-8")
    assert "4.00 of 3 USD, in the middle of round 1" in receipt


def test_within_its_bounds_a_loop_goes_on_and_is_looked_at_later(tmp_path: Path) -> None:
    world = Spending(tmp_path, budget_usd=5, minutes=60)
    due, began = world.session.is_meter_due(), time.time()

    answer = world.after_calls()

    assert (answer.stdout, due, world.standing[0]) == (b"", True, "active")
    assert Path(world.session.get_path("meter")).stat().st_mtime >= began + 5


def test_a_continued_loop_is_looked_at_again(tmp_path: Path) -> None:
    world = Spending(tmp_path, budget_usd=3)
    world.after_calls()

    verbs.resume(world.context, world.loop, Grant(budget_usd=2))
    goes_on = world.after_calls()

    assert (goes_on.stdout, world.standing[0], world.session.has("meter")) == (b"", "active", True)


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
    world = Spending(tmp_path, budget_usd=3, minutes=30)
    world.worked(40)
    world.after_calls()

    with pytest.raises(UserError) as caught:
        verbs.resume(world.context, world.loop, replace(grant, budget_usd=grant.budget_usd or 9))

    assert caught.value.message == message


def test_a_subagent_ends_its_own_turn_and_leaves_the_loop_to_the_agent(tmp_path: Path) -> None:
    world = Spending(tmp_path, budget_usd=3)

    first = world.after_calls(agent_id="a1", agent_type="general-purpose")
    between = world.standing[0]
    world.after_calls()

    reported = "untildone: 4.00 of 3 USD, in the middle of round 1"
    assert first.json == {"continue": False, "stopReason": reported, "systemMessage": reported}
    assert (between, world.standing[0]) == ("active", "paused")


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        ({"minutes": 30}, "30 minutes are used up, in the middle of round 1"),
        ({"round_minutes": 10}, "one round took 31 minutes, in the middle of round 1"),
    ],
)
def test_minutes_that_are_used_up(tmp_path: Path, bounds: dict[str, float], reason: str) -> None:
    world = Spending(tmp_path, **bounds)
    world.worked(31)

    world.after_calls()

    assert world.standing[:3] == ("paused", "out-of-time", reason)
    assert round(world.record.progress.active_seconds / 60) == 31


def test_a_payload_that_cannot_be_read_does_not_put_the_bound_off(tmp_path: Path) -> None:
    world = Spending(tmp_path, budget_usd=3)
    world.session.write_json("session.json", {"transcript": str(world.transcript)})

    world.run_hook("PostToolBatch", b'{"tool_calls": "' + b"x" * 3_000_000)

    assert world.standing[:2] == ("paused", "out-of-budget")


def test_the_user_s_own_word_stands(tmp_path: Path) -> None:
    world = Spending(tmp_path, budget_usd=3)
    verbs.pause(world.context, world.loop)
    # The index of a moment ago.
    world.session.bind(world.loop, active=True)
    world.session.schedule_meter(0)

    answer = world.after_calls()

    assert (answer.stdout, world.standing[1]) == (b"", "paused")


def test_switched_off_by_the_user(tmp_path: Path) -> None:
    world = Spending(tmp_path, budget_usd=3)
    reported = world.payload("PostToolBatch", transcript_path=str(world.transcript))

    answer = world.run_hook(
        "PostToolBatch", reported, environ={**world.environment(), "UNTILDONE_DISABLE": "1"}
    )

    assert (answer.stdout, world.standing[0]) == (b"", "active")


def test_a_loop_without_money_or_minutes_has_no_meter(tmp_path: Path) -> None:
    world = HookWorld(tmp_path)
    world.start(bounds=Bounds(rounds=5, budget_usd=0))

    assert not world.session.has("meter")


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
    world = Spending(tmp_path, minutes=30, round_minutes=1)
    world.worked(minutes)
    world.after_calls()
    assert world.record.progress.outcome == "out-of-time"

    resumed = verbs.resume(world.context, world.loop)

    assert apply_amendments(resumed.contract, resumed.progress.amendments).bounds.minutes == bound
