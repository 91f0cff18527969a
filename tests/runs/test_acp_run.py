"""The outer loop around an agent that speaks the Agent Client Protocol and plays a script."""

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from untildone.agents.headless import AgentText, RunEvent, Tool
from untildone.app import open_context
from untildone.cli.session_start import run_baseline_checks
from untildone.core.contract import Bounds, Check
from untildone.engine import verbs
from untildone.engine.loop_start import begin_loop
from untildone.engine.request import Request
from untildone.process.command import quote_argument
from untildone.runs import run_memory
from untildone.runs.outer_loop import RetryDelays, drive
from untildone.runs.run_events import Asked, Ended
from untildone.runs.run_memory import RunMemory, RunOptions

AGENT = Path(__file__).with_name("acp_agent.py")
PYTHON = quote_argument(sys.executable)
CHECK = f"{PYTHON} -c \"import os, sys; sys.exit(not os.path.exists('done.txt'))\""
LAZY = {"says": "It is done."}
WORKS = {"writes": ["done.txt"], "says": "It is there now."}


class Run:
    """A loop in a project of its own, and the agent that is to work on it."""

    def __init__(self, folder: Path, *turns: dict[str, Any], **script: Any) -> None:  # noqa: ANN401  JSON
        self.project = folder / "project"
        self.project.mkdir()
        self.script = folder / "script.json"
        self.script.write_text(json.dumps({"turns": turns, **script}), encoding="utf-8")
        command = " ".join(map(quote_argument, (sys.executable, str(AGENT), str(self.script))))
        environ = {"PATH": os.environ["PATH"], "HOME": str(folder / "home")}
        self.context = open_context(environ, agent=f"acp:{command}")
        self.happened: list[RunEvent] = []
        self.loop = ""

    def drive(self, *arguments: str, mode: Any = "auto", **bounds: Any) -> Ended:  # noqa: ANN401  fields
        if not self.loop:
            request = Request(
                session="5f0c2a9e-0000-4000-8000-00000000000b",
                project=self.project,
                task="Write done.txt.",
                checks=(Check(name="check", command=CHECK),),
                bounds=Bounds(**bounds),
            )
            record = begin_loop(self.context, request)
            self.loop = run_baseline_checks(self.context, record, detached=False)[0].contract.id
        options = RunOptions(arguments=arguments, mode=mode)
        known = run_memory.read(self.context, self.loop) or RunMemory()
        run_memory.write(self.context, self.loop, replace(known, options=options))
        at_once = RetryDelays(tries=(0,), limit=())
        return drive(self.context, self.loop, show=self.happened.append, delays=at_once)

    @property
    def received(self) -> list[dict[str, Any]]:
        return list(json.loads(self.script.read_text("utf-8"))["received"])

    def list_methods(self) -> list[str]:
        return [message["method"] for message in self.received if "method" in message]

    def asked(self) -> list[str]:
        return [each.conversation for each in self.happened if isinstance(each, Asked)]


def standing(ended: Ended) -> tuple[object, ...]:
    return ended.status, ended.outcome, ended.rounds, ended.fault


OPENING = ["initialize", "session/new", "session/prompt"]
RESUMING = ["initialize", "session/load", "session/prompt"]


def test_an_agent_is_asked_again_in_its_own_conversation_until_green(tmp_path: Path) -> None:
    run = Run(tmp_path, LAZY, WORKS)
    assert standing(run.drive()) == ("finished", "done", 2, None)
    assert run.list_methods() == [*OPENING, *RESUMING]
    assert run.asked() == ["new", "resumed"]
    said = [each.text for each in run.happened if isinstance(each, AgentText)]
    assert said == ["It is done.", "It is there now."]
    assert Tool(name="edit", detail="Write done.txt") in run.happened
    assert "Round 1 of 10" in run.received[5]["params"]["prompt"][0]["text"]


def test_contract_and_receipt_name_the_agent(tmp_path: Path) -> None:
    run = Run(tmp_path, WORKS)
    ended = run.drive()
    receipt = json.loads(Path(ended.receipt).with_suffix(".json").read_text("utf-8"))
    assert receipt["agent"] == run.context.agent.NAME
    assert run.context.loops.load(run.loop).contract.agent == run.context.agent.NAME


def test_never_green_ends_at_the_bound(tmp_path: Path) -> None:
    run = Run(tmp_path, LAZY)
    assert standing(run.drive(rounds=2)) == ("paused", "out-of-rounds", 2, None)


def test_a_conversation_that_cannot_be_loaded_begins_anew_with_the_evidence(tmp_path: Path) -> None:
    run = Run(tmp_path, LAZY, WORKS, offers={})
    assert standing(run.drive()) == ("finished", "done", 2, None)
    assert run.list_methods() == [*OPENING, "initialize", *OPENING]
    note = run.received[-1]["params"]["prompt"][0]["text"]
    assert note.startswith("[untildone] This is a new conversation")
    assert "round 1: unmet check" in note


def test_a_lost_conversation_begins_anew(tmp_path: Path) -> None:
    run = Run(tmp_path, LAZY, WORKS, lost=True)
    assert standing(run.drive()) == ("finished", "done", 2, None)
    assert run.list_methods() == [*OPENING, "initialize", "session/load", *OPENING]


def test_resume_is_preferred_where_it_is_offered(tmp_path: Path) -> None:
    run = Run(tmp_path, LAZY, WORKS, offers={"sessionCapabilities": {"resume": {}}})
    assert standing(run.drive()) == ("finished", "done", 2, None)
    assert run.list_methods()[4] == "session/resume"


def test_permissions_are_given_once(tmp_path: Path) -> None:
    run = Run(tmp_path, {**WORKS, "asks": "session/request_permission"})
    assert standing(run.drive()) == ("finished", "done", 1, None)
    selected = {"outcome": "selected", "optionId": "allow_once-1"}
    assert run.received[-1]["result"] == {"outcome": selected}


def test_denied_permissions_pause_a_loop_without_progress(tmp_path: Path) -> None:
    run = Run(tmp_path, {**LAZY, "asks": "session/request_permission"})
    assert standing(run.drive("--deny-permissions"))[::3] == ("paused", "denied")
    selected = {"outcome": "selected", "optionId": "reject_once-1"}
    assert run.received[-1]["result"] == {"outcome": selected}


def test_what_we_do_not_offer_is_refused(tmp_path: Path) -> None:
    run = Run(tmp_path, {**WORKS, "asks": "fs/read_text_file"})
    assert standing(run.drive()) == ("finished", "done", 1, None)
    assert run.received[-1]["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("turn", "outcome", "fault"),
    [
        ({"error": {"code": -32603, "message": "429 Too Many Requests"}}, "paused", "limit"),
        ({"error": {"code": -32000, "message": "sign in"}}, "blocked", "authentication"),
        ({"error": {"code": 1, "message": "x", "data": "no credit"}}, "blocked", "billing"),
        ({"stop": "refusal", "says": "I will not."}, "blocked", "refused"),
        ({"crashes": "out of memory"}, "blocked", "crashed"),
        ({"crashes": "fetch failed"}, "blocked", "network"),
    ],
)
def test_failures_are_told_apart(
    tmp_path: Path, turn: dict[str, Any], outcome: str, fault: str
) -> None:
    ended = Run(tmp_path, turn).drive()
    assert (ended.status, ended.outcome, ended.fault) == ("paused", outcome, fault)


def test_another_version_of_the_protocol_is_refused(tmp_path: Path) -> None:
    ended = Run(tmp_path, LAZY, version=2).drive()
    assert ended.fault == "refused"
    assert "version 2 of the protocol" in ended.reason


def test_an_agent_that_wants_the_user_to_sign_in_is_no_crash(tmp_path: Path) -> None:
    error = {"code": -32000, "message": "Authentication required"}
    assert Run(tmp_path, LAZY, new_error=error).drive().fault == "authentication"


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    run = Run(tmp_path, LAZY)
    missing = open_context(dict(run.context.environ), agent="acp:not-there --acp")
    run.context = missing
    ended = run.drive()
    assert ended.fault == "missing"
    assert "`not-there` was not found" in ended.reason


def test_costs_and_context_are_those_the_agent_tells(tmp_path: Path) -> None:
    usage = {"used": 900, "size": 1000, "cost": {"amount": 0.25, "currency": "USD"}}
    run = Run(tmp_path, {**LAZY, "usage": usage}, {**WORKS, "usage": usage})
    ended = run.drive()
    # The context was full, so that the second round is a conversation of its own.
    assert run.asked() == ["new", "new"]
    assert ended.spend_usd == pytest.approx(0.5)


def test_a_paused_agent_is_cancelled_and_resumed_later(tmp_path: Path) -> None:
    run = Run(tmp_path, {"waits": True}, WORKS)

    def pause() -> None:
        while not (run.project / "begun").exists():
            time.sleep(0.02)
        verbs.pause(run.context, run.loop)

    thread = threading.Thread(target=pause)
    thread.start()
    run.drive()
    thread.join()
    assert run.list_methods() == [*OPENING, "session/cancel"]

    verbs.resume(run.context, run.loop)
    assert standing(run.drive())[:2] == ("finished", "done")
    assert run.list_methods()[4:] == RESUMING


def test_a_round_that_takes_too_long_is_cancelled(tmp_path: Path) -> None:
    run = Run(tmp_path, {"waits": True}, WORKS)
    assert standing(run.drive(round_minutes=0.02))[1] is not None
    assert run.list_methods()[:4] == [*OPENING, "session/cancel"]


def test_an_agent_that_does_not_end_with_its_input_is_ended(tmp_path: Path) -> None:
    run = Run(tmp_path, WORKS, lingers=True)
    began = time.monotonic()
    assert standing(run.drive()) == ("finished", "done", 1, None)
    assert time.monotonic() - began < 30


def test_the_agent_reports_on_its_loop_but_cannot_cancel_it(tmp_path: Path) -> None:
    program = quote_argument(str(Path(sys.executable).with_name("untildone")))
    line = f"{program} cancel 2>refused.txt; {program} note 'the file was missing' >note.txt 2>&1"
    run = Run(tmp_path, {**LAZY, "runs": line}, WORKS)
    assert standing(run.drive()) == ("finished", "done", 2, None)
    assert "only the user may run" in (run.project / "refused.txt").read_text("utf-8")
    record = run.context.loops.load(run.loop)
    assert record.progress.notes == ("the file was missing",)
