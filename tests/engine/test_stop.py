"""One stop, from event to answer, with real files and real checks."""

import json
from pathlib import Path

import pytest

from endings import RECEIPT, hide_effort
from untildone.core.contract import Bounds, Check, Claim
from untildone.engine import verbs
from untildone.engine.agent_verbs import AgentVerb, format_verb
from untildone.engine.context import fingerprint_project
from untildone.engine.request import name_checks
from world import World, shown


def released(reason: str, loop: str) -> dict[str, str]:
    """The answer to a stop that is let through although the loop is active."""
    notice = f"untildone: released, not judged: {reason}; loop {loop} is active"
    return {"systemMessage": notice}


def test_a_red_check_holds_and_a_green_one_ends_the_loop(world: World) -> None:
    world.start()

    held = world.stop()
    world.finish()
    ended = world.stop()

    assert shown(held).startswith("[untildone] Round 1 of 10: not done yet. Unmet: check.\n")
    assert held["systemMessage"] == "untildone: held, round 1 of 10, unmet: check red"
    assert hide_effort(ended["systemMessage"]) == (
        f"untildone: done after 2 rounds: check green | from red to green: check | {RECEIPT}"
    )
    assert world.state() == ("finished", "done", 2)
    assert world.session.get_loop_id() == ""
    assert (world.project / ".untildone" / "receipt.md").is_file()


def test_a_slow_check_is_run_only_when_all_else_is_met(world: World) -> None:
    quick, slow = name_checks(
        ("test -f done.txt", "echo ran >> ../slow.txt; test -f slow-done.txt")
    )
    world.start(checks=(quick, type(slow)(name="slow", command=slow.command, when="done")))

    world.stop()
    before = (world.project.parent / "slow.txt").exists()
    world.finish()
    held = world.stop()
    (world.project / "slow-done.txt").touch()
    world.stop()

    assert before is False
    assert "Unmet: slow." in shown(held)
    assert world.state() == ("finished", "done", 3)


def test_a_round_checks_only_packages_that_the_agent_may_have_broken(world: World) -> None:
    world.write_all({"api/package.json": "{}", "web/package.json": "{}"})
    web = 'echo x >>"$RUNS"'
    runs = world.project.parent / "runs"
    checks = (
        Check(name="api:test", command="test -f done.txt", cwd="api"),
        Check(name="web:test", command=web, cwd="web", env={"RUNS": str(runs)}),
    )
    world.start(checks=checks, baseline="none")
    counts = []
    for changed in ("api/a.js", "api/b.js", "web/a.js", "README.md"):
        world.write(changed, "")
        world.stop()
        counts.append(runs.read_text(encoding="utf-8").count("x"))

    # Once at first, not for the second change of `api`, then for its own and a shared file.
    assert counts == [1, 1, 2, 3]


def test_green_all_along_also_needs_the_agents_word(world: World) -> None:
    world.finish()
    world.start(baseline="none")
    world.save_baseline()

    held = world.stop()
    verbs.record_agent_verb(world.context, world.loop, AgentVerb(verb="signal"))
    world.write("page.txt", "new")
    world.stop()

    assert "you have not said that the task is done" in shown(held)
    assert world.state() == ("finished", "done", 2)


def test_words_alone_are_claimed(world: World) -> None:
    world.start(checks=(), promises=("ALL PAGES WRITTEN",))

    world.stop(last_assistant_message="Not yet.")
    answer = world.stop(last_assistant_message="<promise>ALL PAGES WRITTEN</promise>")

    assert world.state() == ("finished", "claimed", 2)
    assert answer["systemMessage"].startswith("untildone: claimed after 2 rounds")


def test_nine_equal_stops_are_nine_rounds_even_if_reported_twice(world: World) -> None:
    world.start(checks=(), promises=("X",), bounds=Bounds(rounds=0))

    answers = [
        [world.stop(source, last_assistant_message="Done.") for source in sources]
        for sources in [("settings", "plugin")] * 5 + [("plugin", "settings")] * 4
    ]

    held = [[answer is not None for answer in pair] for pair in answers]
    assert held == [[True, False]] * 9
    assert world.state() == ("active", None, 9)


def test_a_second_source_that_comes_later_takes_over(world: World) -> None:
    world.start(checks=(), promises=("X",), bounds=Bounds(rounds=0))

    for source in ("settings", "plugin", "plugin", "plugin"):
        world.stop(source)

    # The first of the plugin's is taken for the settings' own; from then on it counts.
    assert world.state() == ("active", None, 3)


@pytest.mark.parametrize(
    "payload",
    [
        {"session_id": "another-session"},
        {"session_id": ""},
        {"session_id": None},
        {"hook_event_name": "SubagentStop"},
        {"agent_id": "a1"},
    ],
)
def test_others_are_never_held(world: World, payload: dict[str, object]) -> None:
    world.start()

    assert world.stop("settings", fault="", **payload) is None
    assert world.state() == ("active", None, 0)


def test_a_loop_that_the_user_ended_is_not_judged(world: World) -> None:
    world.start()
    verbs.cancel(world.context, world.loop)

    assert world.stop() is None
    assert world.state() == ("finished", "cancelled", 0)


def test_plan_mode_and_queued_input_let_go(world: World, tmp_path: Path) -> None:
    world.start()
    transcript = tmp_path / "t.jsonl"
    entry = {"type": "queue-operation", "operation": "enqueue", "content": "/untildone:cancel"}
    transcript.write_text(json.dumps(entry) + "\n", encoding="utf-8")

    planned = world.stop(permission_mode="plan")
    queued = world.stop(transcript_path=str(transcript))
    again = world.stop(transcript_path=str(transcript))

    assert planned == released("plan mode, in which the agent changes nothing", world.loop)
    assert queued == released("your queued input comes first", world.loop)
    assert "Round 1 of 10" in shown(again)


def test_a_question_without_changes_is_answered_and_not_held(world: World) -> None:
    world.start()
    session = world.session
    tree = fingerprint_project(world.project)
    session.write_json("prompt.json", {"id": "p1", "kind": "question", "tree": tree})

    asked = world.stop()
    session.write_json("prompt.json", {"id": "p2", "kind": "question", "tree": "before"})
    changed = world.stop(prompt_id="p2")

    assert asked == released("you asked a question and nothing was changed", world.loop)
    assert "Round 1 of 10" in shown(changed)


def test_background_work(world: World) -> None:
    world.start()
    shell = {"id": "b1", "type": "shell", "description": "dev server"}
    agent = {"id": "a1", "type": "subagent", "description": "sub"}

    waiting = world.stop(background_tasks=[shell, agent])
    named_once = world.stop(background_tasks=[shell])
    judged = world.stop(background_tasks=[shell])

    assert waiting == released("still working: sub", world.loop)
    assert shown(named_once).startswith("[untildone] Still running in the background: dev server.")
    assert "Round 1 of 10" in shown(judged)


def test_verbs_printed_in_the_agents_shell_are_recorded(world: World) -> None:
    world.start(checks=(), claims=(Claim(name="docs"),))
    calls = Path(world.session.get_path("calls"))
    met = format_verb(AgentVerb(verb="met", name="docs", by="observation", text="read"))
    others = (AgentVerb(verb="signal"), AgentVerb(verb="note", text="read twice"))
    said = {"stdout": "\n".join((met, *map(format_verb, others)))}
    command = (
        "untildone met docs --by observation --evidence read; untildone signal; untildone note x"
    )
    spooled = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": said}
    calls.joinpath("17").write_text(json.dumps(spooled), encoding="utf-8")

    world.stop()

    assert world.state() == ("finished", "claimed", 1)
    assert world.receipt["history"] == ["round 1: claimed; note: read twice"]
    assert list(calls.iterdir()) == []


def test_a_payload_that_could_not_be_read_is_held_once(world: World) -> None:
    world.finish()
    world.start()

    first = world.stop(fault="the payload is not JSON")
    second = world.stop(fault="the payload is not JSON")

    assert "The checks could not be judged: the payload is not JSON." in shown(first)
    assert second["systemMessage"].startswith("untildone: paused (unverified): the payload")
    assert world.state() == ("paused", "unverified", 1)


def test_the_clients_cap_is_not_run_into(world: World) -> None:
    world.start(checks=(), promises=("X",), bounds=Bounds(rounds=0))

    answers = [world.stop(stop_hook_active=number > 0) for number in range(9)]

    assert [answer is not None and "hookSpecificOutput" in answer for answer in answers] == (
        [True] * 8 + [False]
    )
    assert world.state() == ("paused", "cut-off", 9)


def test_a_must_not_condition(world: World) -> None:
    world.start(must_not=("test -f done.txt",))
    world.finish()

    world.stop()

    assert world.state() == ("paused", "forbidden", 1)


def test_the_mark_of_judging_goes_with_the_answer(world: World) -> None:
    world.start()
    world.stop()

    session = world.session
    assert (session.has("judging"), session.has("unjudged")) == (False, False)


def test_a_fault_of_ours_leaves_its_mark_and_no_done(world: World) -> None:
    world.start()
    world.finish()
    folder = world.loop_folder
    for name in ("state.json", "state.json.previous", "journal.jsonl"):
        folder.joinpath(name).unlink(missing_ok=True)
        folder.joinpath(name).mkdir()

    with pytest.raises(Exception) as error:  # noqa: PT011  whichever: the entry tells it
        world.stop()

    unjudged = world.session.read("unjudged")
    assert unjudged.startswith(type(error.value).__name__)


def test_a_safe_fix_is_tried_before_the_agent_is_asked(world: World) -> None:
    (check,) = name_checks(("test -f done.txt",))
    world.start(checks=(type(check)(name="lint", command=check.command, fix="touch done.txt"),))

    world.stop()

    assert world.state() == ("finished", "done", 1)
    receipt = (world.project / ".untildone" / "receipt.md").read_text(encoding="utf-8")
    assert "- lint: green (after `touch done.txt`)" in receipt


def test_a_fixed_check_does_not_answer_for_a_must_not_of_its_name(world: World) -> None:
    check = Check(name="test -f bad", command="test -f done.txt", fix="touch done.txt")
    world.start(checks=(check,), must_not=("test -f bad",))

    world.stop()

    assert world.state() == ("finished", "done", 1)
