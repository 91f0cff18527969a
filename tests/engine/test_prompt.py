"""A submitted prompt: the person's verbs act, a loop is started, a question is remembered."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from untildone.app import open_context
from untildone.core.contract import Bounds, Claim
from untildone.engine import prompt, verbs
from untildone.engine.context import Context, fingerprint_project
from untildone.engine.loop_start import begin_loop
from untildone.engine.payload import Call
from untildone.engine.request import Request, name_checks
from untildone.store.home import prepare_home
from untildone.store.trusted_files import record_trust

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"
CLEAR = "Add a users endpoint in src/api; no new dependencies; done when `make test` passes"
NOTIFICATION = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"


class World:
    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.home = folder / "state"
        self.attended = "1"

    @property
    def here(self) -> Context:
        environ = {"CLAUDE_CODE_SESSION_ATTENDED": self.attended}
        return open_context(environ, home=str(self.home))

    def start(self) -> str:
        asked = Request(session=SESSION, project=self.project, checks=name_checks(("false",)))
        return begin_loop(self.here, asked).contract.id

    def say(self, text: str, number: str = "p1") -> Any:  # noqa: ANN401  whatever is answered
        call = Call("UserPromptSubmit", "claude", "settings", str(self.home))
        call.data = {
            "session_id": SESSION,
            "cwd": str(self.project),
            "prompt": text,
            "prompt_id": number,
        }
        answer = prompt.answer_prompt(self.here, call)
        return json.loads(answer) if answer else None

    def state(self, loop: str) -> tuple[str, str | None]:
        progress = self.here.loops.load(loop).progress
        return progress.status, progress.outcome

    @property
    def remembered(self) -> dict[str, object]:
        return self.here.session(SESSION).read_json("prompt.json")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.mark.parametrize("text", ["stop", "cancel relentless mode", "/untildone:cancel"])
def test_the_person_cancels_without_the_model(world: World, text: str) -> None:
    loop = world.start()

    answer = world.say(text)

    assert (answer["decision"], answer["reason"]) == (
        "block",
        f"untildone: loop {loop} is cancelled",
    )
    assert world.state(loop) == ("finished", "cancelled")
    assert world.here.session(SESSION).get_loop_id() == ""


def test_pause_status_and_continue(world: World) -> None:
    loop = world.start()

    paused = world.say("pause")
    status = world.say("status")
    reminded = [world.say("what is this?", "p2"), world.say("and this?", "p3")]
    resumed = world.say("/untildone:continue --rounds +5")

    assert paused["reason"] == (
        f"untildone: loop {loop} is paused; `/untildone:continue` resumes it"
    )
    assert status["reason"].startswith(f"untildone {loop} | paused")
    assert [bool(answer) for answer in reminded] == [True, False]
    assert resumed["systemMessage"] == f"untildone: loop {loop} goes on"
    assert world.state(loop) == ("active", None)
    amendments = world.here.loops.load(loop).progress.amendments
    assert [amendment.bounds.rounds for amendment in amendments if amendment.bounds] == [15]


@pytest.mark.parametrize("text", ["stop", "please go on", "test relentlessly?"])
def test_without_a_loop_nothing_is_said(world: World, text: str) -> None:
    assert world.say(text) is None
    assert world.remembered == {}


def test_a_verb_without_a_loop_is_told(world: World) -> None:
    assert world.say("/untildone:cancel")["reason"] == (
        "untildone: this session has no loop; `untildone status` shows what runs"
    )


def test_what_the_agent_scheduled_is_not_the_persons(world: World) -> None:
    loop = world.start()
    scheduled = {"answered_at": 0.0, "scheduled": ["stop", "/untildone:cancel"]}
    world.here.session(SESSION).write_json("stop.json", scheduled)

    assert (world.say("stop"), world.say("/untildone:cancel")) == (None, None)
    assert world.state(loop) == ("active", None)


def test_piped_text_of_an_unattended_run_is_not_the_persons(world: World) -> None:
    loop = world.start()
    world.attended = "0"

    assert world.say("stop") is None
    assert world.state(loop) == ("active", None)


def test_a_slash_command_starts_a_loop_before_the_model_hears_of_it(world: World) -> None:
    answer = world.say('/untildone:test write it --check "test -f a" --rounds 3 --budget 2')

    record = world.here.loops.load(world.here.session(SESSION).get_loop_id())
    told = answer["hookSpecificOutput"]["additionalContext"]
    assert told.startswith("[untildone] A loop is active in this session")
    assert told.endswith("The task, as agreed:\nwrite it")
    assert [check.command for check in record.contract.checks] == ["test -f a"]
    assert (record.contract.bounds.rounds, record.contract.bounds.budget_usd) == (3, 2)
    assert world.remembered["kind"] == "start"


def test_a_phrase_starts_a_loop_on_what_is_found(world: World) -> None:
    (world.project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    world.say("test relentlessly: port the parser")

    record = world.here.loops.load(world.here.session(SESSION).get_loop_id())
    assert (record.contract.preset, record.contract.task) == ("test", "port the parser")
    assert [check.command for check in record.contract.checks] == ["make test"]


def test_a_spec_after_the_word_starts_a_loop_if_it_is_clear_enough(world: World) -> None:
    (world.project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    vague = world.say("loop: make it better")
    none = world.here.session(SESSION).get_loop_id()
    world.say(f"loop - {CLEAR}")

    assert "no loop was started: the spec is vague" in vague["systemMessage"]
    assert none == ""
    contract = world.here.loops.load(world.here.session(SESSION).get_loop_id()).contract
    assert (contract.preset, contract.task) == ("loop", CLEAR)


def test_a_question_about_loops_is_answered_and_starts_nothing(world: World) -> None:
    answer = world.say("What is loop?")

    assert "Nothing was started" in answer["systemMessage"]
    assert answer["hookSpecificOutput"]["additionalContext"] == answer["systemMessage"]
    assert world.here.session(SESSION).get_loop_id() == ""


def test_a_slash_command_knows_the_options_of_start(world: World) -> None:
    world.say(
        "/untildone:test port it --check 'make test' --success-pattern 'passed'"
        " --failure-pattern 'failed' --round-minutes 7 --criterion 'docs=review'"
        " --must-not 'test -e core' --allow config:setup.cfg"
    )

    contract = world.here.loops.load(world.here.session(SESSION).get_loop_id()).contract
    assert contract.task == "port it"
    assert contract.checks == name_checks(("make test",), success="passed", failure="failed")
    assert contract.claims == (Claim(name="docs", verification="review"),)
    assert contract.bounds == Bounds(round_minutes=7)
    assert (contract.must_not, contract.allow) == (("test -e core",), ("config:setup.cfg",))


def test_a_mistyped_option_of_a_slash_command_is_told(world: World) -> None:
    slip = "`--round` is read as part of the task; write the option `--rounds`"
    refused = world.say("/untildone:test port it --check 'make test' --round 7")["reason"]
    (world.project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    told = world.say("/untildone:test port it --round 7")["systemMessage"]

    assert f"; {slip}" in refused
    assert f"\nuntildone: {slip}" in told


def test_a_slash_command_may_name_a_template(world: World) -> None:
    (world.project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    (world.project / "SPEC.md").write_text("It parses.\n", encoding="utf-8")

    world.say('/untildone:test --template "implement-spec SPEC.md" --rounds 4')

    contract = world.here.loops.load(world.here.session(SESSION).get_loop_id()).contract
    assert contract.task.startswith("Implement what `SPEC.md` specifies")
    assert contract.claims == (
        Claim(
            name="each requirement of SPEC.md is implemented and tested", verification="execution"
        ),
    )
    assert contract.bounds.rounds == 4


def test_a_pattern_without_a_check_is_refused(world: World) -> None:
    answer = world.say("/untildone:test port it --success-pattern 'passed'")

    assert answer["reason"] == (
        "untildone: a pattern judges the output of a check, and none is named; name it:"
        ' `--check "YOUR COMMAND"`'
    )


def test_nothing_found_is_a_question_with_the_flag(world: World) -> None:
    answer = world.say("/untildone:test port the parser")

    assert answer["decision"] == "block"
    assert "--check" in answer["reason"]
    assert world.here.session(SESSION).get_loop_id() == ""


def test_an_unattended_run_only_gets_a_proposal(world: World) -> None:
    world.attended = "0"

    answer = world.say("test relentlessly: port the parser")

    assert "untildone start --preset test" in answer["hookSpecificOutput"]["additionalContext"]
    assert world.here.session(SESSION).get_loop_id() == ""


def test_a_second_loop_is_refused_and_a_phrase_is_only_a_prompt(world: World) -> None:
    loop = world.start()

    refused = world.say("/untildone:build it")
    passed = world.say("test relentlessly: port the parser")

    assert refused["reason"].startswith(f"untildone: this session has the loop `{loop}` already")
    assert passed is None


def test_the_first_prompt_carries_the_loop_and_a_later_one_may_be_a_question(world: World) -> None:
    world.start()
    kinds = []
    for number, text in enumerate(("please work", "how far are you?", NOTIFICATION)):
        world.say(text, f"p{number}")
        kinds.append({key: world.remembered[key] for key in ("id", "kind", "tree")})

    tree = fingerprint_project(world.project)
    assert kinds == [
        {"id": "p0", "kind": "start", "tree": ""},
        {"id": "p1", "kind": "other", "tree": tree},
        {"id": "p2", "kind": "automatic", "tree": ""},
    ]


def test_a_prompt_may_ask_for_security_too(world: World) -> None:
    world.say('/untildone:fix it --check "false" --zero-security')

    contract = world.here.loops.load(world.here.session(SESSION).get_loop_id()).contract
    assert ([check.name for check in contract.checks], contract.task) == (
        ["check", "security"],
        "it",
    )


def test_a_prompt_that_asks_for_security_uses_the_trusted_rules(world: World) -> None:
    (world.project / "rules").mkdir()
    file = world.project / "untildone.toml"
    file.write_text('security_rules = ["rules"]\n', encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    prepare_home(world.home)
    record_trust(world.home, file, sha256=sha256(text.encode()).hexdigest(), text=text)

    world.say('/untildone:fix it --check "false" --zero-security')

    contract = world.here.loops.load(world.here.session(SESSION).get_loop_id()).contract
    assert contract.checks[1].command.endswith(" --rules rules")


def test_a_prompt_after_a_compaction_gets_the_context_back(world: World) -> None:
    world.start()
    session = world.here.session(SESSION)
    session.write("compacting", "")

    first, second = world.say("go on", "p1"), world.say("go on", "p2")

    assert "A loop is active" in first["hookSpecificOutput"]["additionalContext"]
    assert second is None


def test_a_stop_that_nobody_judged_is_told(world: World) -> None:
    world.start()
    world.here.session(SESSION).write("unjudged", "OSError: disk full")

    assert world.say("hello")["systemMessage"] == (
        "untildone: the last stop was not judged (OSError: disk full); the agent was not held"
    )


def test_a_prompt_ends_what_was_in_flight(world: World) -> None:
    world.start()
    session = world.here.session(SESSION)
    session.write("pre", "\n")

    world.say("hello")

    assert not session.has_call_in_flight()


def test_a_finished_loop_is_no_longer_asked(world: World) -> None:
    loop = world.start()
    verbs.cancel(world.here, loop)

    assert world.say("stop") is None
