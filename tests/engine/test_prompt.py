"""A submitted prompt: the user's verbs act, a loop is started, a question is remembered."""

from hashlib import sha256

import pytest

from endings import RECEIPT, hide_effort
from untildone.core.contract import Bounds, Claim
from untildone.engine import verbs
from untildone.engine.context import fingerprint_project
from untildone.engine.request import name_checks
from untildone.store.home import prepare_home
from untildone.store.loops import Record
from untildone.store.trusted_files import record_trust
from world import ATTENDED, World

CLEAR = "Add a users endpoint in src/api; no new dependencies; done when `make test` passes"
NOTIFICATION = """\
<task-notification>
<task-id>b1</task-id>
</task-notification>"""


@pytest.fixture
def world(world: World) -> World:
    world.environ = {ATTENDED: "1"}
    return world


def read_remembered(world: World) -> dict[str, object]:
    return world.session.read_json("prompt.json")


def loop_of_session(world: World) -> Record:
    return world.context.loops.load(world.session.get_loop_id())


@pytest.mark.parametrize("text", ["stop", "cancel relentless mode", "/untildone:cancel"])
def test_the_user_cancels_without_the_model(world: World, text: str) -> None:
    loop = world.start().contract.id

    answer = world.prompt(text)

    assert (answer["decision"], hide_effort(answer["reason"])) == (
        "block",
        f"untildone: loop {loop} is cancelled after 0 rounds, {RECEIPT}",
    )
    assert world.state() == ("finished", "cancelled", 0)
    assert world.session.get_loop_id() == ""


def test_pause_status_and_continue(world: World) -> None:
    loop = world.start().contract.id

    paused = world.prompt("pause")
    status = world.prompt("status")
    reminded = [world.prompt("what is this?", "p2"), world.prompt("and this?", "p3")]
    resumed = world.prompt("/untildone:continue --rounds +5")

    assert hide_effort(paused["reason"]) == (
        f"untildone: loop {loop} is paused after 0 rounds, {RECEIPT}"
        " | `/untildone:continue` resumes it"
    )
    assert status["reason"].startswith(f"untildone {loop} | paused")
    assert [bool(answer) for answer in reminded] == [True, False]
    assert resumed["systemMessage"] == f"untildone: loop {loop} goes on"
    assert world.state() == ("active", None, 0)
    amendments = world.context.loops.load(loop).progress.amendments
    assert [amendment.bounds.rounds for amendment in amendments if amendment.bounds] == [15]


@pytest.mark.parametrize(
    "text", ["stop", "resume", "go on", "keep going", "please go on", "test relentlessly?"]
)
def test_without_a_loop_nothing_is_said(world: World, text: str) -> None:
    assert world.prompt(text) is None
    assert read_remembered(world) == {}


@pytest.mark.parametrize("text", ["/untildone:cancel", "cancel the loop", "resume the loop."])
def test_a_verb_without_a_loop_is_reported(world: World, text: str) -> None:
    assert world.prompt(text)["reason"] == (
        "untildone: this session has no loop; `untildone status` shows what runs"
    )


def test_a_prompt_that_the_agent_scheduled_is_not_the_users(world: World) -> None:
    world.start()
    scheduled = {"answered_at": 0.0, "scheduled": ["stop", "/untildone:cancel"]}
    world.session.write_json("stop.json", scheduled)

    assert (world.prompt("stop"), world.prompt("/untildone:cancel")) == (None, None)
    assert world.state() == ("active", None, 0)


def test_piped_text_of_an_unattended_run_is_not_the_users(world: World) -> None:
    world.start()
    world.environ[ATTENDED] = "0"

    assert world.prompt("stop") is None
    assert world.state() == ("active", None, 0)


def test_a_slash_command_starts_a_loop_before_the_model_hears_of_it(world: World) -> None:
    answer = world.prompt('/untildone:test write it --check "test -f a" --rounds 3 --budget 2')

    record = loop_of_session(world)
    reported = answer["hookSpecificOutput"]["additionalContext"]
    assert reported.startswith("[untildone] A loop is active in this session")
    assert reported.endswith("The task, as agreed:\nwrite it")
    assert [check.command for check in record.contract.checks] == ["test -f a"]
    assert (record.contract.bounds.rounds, record.contract.bounds.budget_usd) == (3, 2)
    assert read_remembered(world)["kind"] == "start"


def test_a_phrase_starts_a_loop_on_what_is_found(world: World) -> None:
    (world.project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    world.prompt("test relentlessly: port the parser")

    record = loop_of_session(world)
    assert (record.contract.preset, record.contract.task) == ("test", "port the parser")
    assert [check.command for check in record.contract.checks] == ["make test"]


def test_a_spec_after_the_word_starts_a_loop_if_it_is_clear_enough(world: World) -> None:
    (world.project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    vague = world.prompt("loop: make it better")
    none = world.session.get_loop_id()
    world.prompt(f"loop - {CLEAR}")

    assert "no loop was started: the spec is vague" in vague["systemMessage"]
    assert none == ""
    contract = loop_of_session(world).contract
    assert (contract.preset, contract.task) == ("loop", CLEAR)


def test_a_question_about_loops_is_answered_and_starts_nothing(world: World) -> None:
    answer = world.prompt("What is loop?")

    assert "Nothing was started" in answer["systemMessage"]
    assert answer["hookSpecificOutput"]["additionalContext"] == answer["systemMessage"]
    assert world.session.get_loop_id() == ""


def test_a_slash_command_knows_the_options_of_start(world: World) -> None:
    world.prompt(
        "/untildone:test port it --check 'make test' --success-pattern 'passed'"
        " --failure-pattern 'failed' --round-minutes 7 --criterion 'docs=review'"
        " --must-not 'test -e core' --allow config:setup.cfg"
    )

    contract = loop_of_session(world).contract
    assert contract.task == "port it"
    assert contract.checks == name_checks(("make test",), success="passed", failure="failed")
    assert contract.claims == (Claim(name="docs", verification="review"),)
    assert contract.bounds == Bounds(round_minutes=7)
    assert (contract.must_not, contract.allow) == (("test -e core",), ("config:setup.cfg",))


def test_a_mistyped_option_of_a_slash_command_is_reported(world: World) -> None:
    slip = (
        "`--round` is no option of this command and is read as part of the task;"
        " did you mean `--rounds`?"
    )
    refused = world.prompt("/untildone:test port it --round 7")["reason"]
    (world.project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    reported = world.prompt("/untildone:test port it --round 7")["systemMessage"]

    assert f"; {slip}" in refused
    assert f"\nuntildone: {slip}" in reported


def test_a_slash_command_may_name_a_template(world: World) -> None:
    (world.project / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    (world.project / "SPEC.md").write_text("It parses.\n", encoding="utf-8")

    world.prompt('/untildone:test --template "implement-spec SPEC.md" --rounds 4')

    contract = loop_of_session(world).contract
    assert contract.task.startswith("Implement what `SPEC.md` specifies")
    assert contract.claims == (
        Claim(
            name="each requirement of SPEC.md is implemented and tested", verification="execution"
        ),
    )
    assert contract.bounds.rounds == 4


def test_a_pattern_without_a_check_is_refused(world: World) -> None:
    answer = world.prompt("/untildone:test port it --success-pattern 'passed'")

    assert answer["reason"] == (
        "untildone: a pattern judges the output of a check, and none is named; name it:"
        ' `--check "YOUR COMMAND"`'
    )


def test_nothing_found_is_a_question_with_the_flag(world: World) -> None:
    answer = world.prompt("/untildone:test port the parser")

    assert answer["decision"] == "block"
    assert "--check" in answer["reason"]
    assert world.session.get_loop_id() == ""


def test_an_unattended_run_only_gets_a_proposal(world: World) -> None:
    world.environ[ATTENDED] = "0"

    answer = world.prompt("test relentlessly: port the parser")

    assert "untildone start --preset test" in answer["hookSpecificOutput"]["additionalContext"]
    assert world.session.get_loop_id() == ""


def test_a_second_loop_is_refused_and_a_phrase_is_only_a_prompt(world: World) -> None:
    loop = world.start().contract.id

    refused = world.prompt("/untildone:build it")
    passed = world.prompt("test relentlessly: port the parser")

    assert refused["reason"].startswith(f"untildone: this session has the loop `{loop}` already")
    assert passed is None


def test_the_first_prompt_carries_the_loop_and_a_later_one_may_be_a_question(world: World) -> None:
    world.start()
    kinds = []
    for number, text in enumerate(("please work", "how far are you?", NOTIFICATION)):
        world.prompt(text, f"p{number}")
        kinds.append({key: read_remembered(world)[key] for key in ("id", "kind", "tree")})

    tree = fingerprint_project(world.project)
    assert kinds == [
        {"id": "p0", "kind": "start", "tree": ""},
        {"id": "p1", "kind": "question", "tree": tree},
        {"id": "p2", "kind": "automatic", "tree": ""},
    ]


def test_a_prompt_may_ask_for_security_too(world: World) -> None:
    world.prompt('/untildone:fix it --check "false" --zero-security')

    contract = loop_of_session(world).contract
    assert ([check.name for check in contract.checks], contract.task) == (
        ["check", "security"],
        "it",
    )


def test_a_prompt_that_asks_for_security_uses_the_trusted_rules(world: World) -> None:
    (world.project / "rules").mkdir()
    file = world.project / "untildone.toml"
    file.write_text('security_rules = ["rules"]\n', encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    prepare_home(world.state_folder)
    record_trust(world.state_folder, file, sha256=sha256(text.encode()).hexdigest(), text=text)

    world.prompt('/untildone:fix it --check "false" --zero-security')

    contract = loop_of_session(world).contract
    assert contract.checks[1].command.endswith(" --rules rules")


def test_a_prompt_after_a_compaction_gets_the_context_back(world: World) -> None:
    world.start()
    session = world.session
    session.write("compacting", "")

    first, second = world.prompt("go on", "p1"), world.prompt("go on", "p2")

    assert "A loop is active" in first["hookSpecificOutput"]["additionalContext"]
    assert second is None


def test_a_stop_that_nobody_judged_is_reported(world: World) -> None:
    world.start()
    world.session.write("unjudged", "OSError: disk full")

    assert world.prompt("hello")["systemMessage"] == (
        "untildone: the last stop was not judged (OSError: disk full); the agent was not held"
    )


def test_a_prompt_ends_what_was_in_flight(world: World) -> None:
    world.start()
    session = world.session
    session.write("pre", "\n")

    world.prompt("hello")

    assert not session.has_call_in_flight()


def test_a_finished_loop_is_no_longer_asked(world: World) -> None:
    loop = world.start().contract.id
    verbs.cancel(world.context, loop)

    assert world.prompt("stop") is None
