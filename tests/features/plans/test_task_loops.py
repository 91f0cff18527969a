"""Tasks of a plan as loops: sealed criteria, verification, one task after another."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from snippets import snippet
from untildone.core.contract import Bounds
from untildone.core.plan_task import VerifierResult
from untildone.core.verdict import Pause
from untildone.engine import verbs
from untildone.engine.agent_verbs import AgentVerb, format_verb
from untildone.engine.loop_start import begin_loop
from untildone.errors import UserError
from untildone.features.plans.plan_file import read_plan
from untildone.features.plans.task_checks import trust_plan
from untildone.features.plans.task_loops import TaskChoice, build_task_request
from untildone.features.plans.verifier_reports import (
    CriterionEvidence,
    VerifierReport,
    record_report,
)
from untildone.store.loops import Record
from world import ATTENDED, OTHER_SESSION, SESSION, World, shown

HELP = "The help names the option"
ONE = {
    "title": "Parser",
    "status": "not_started",
    "points": 3,
    "depends_on": [],
    "prd_refs": ["REQ-001"],
    "acceptance_criteria": ["`test -f one.txt` exits 0", HELP],
    "testing": [],
    "prompt": "Write the parser.",
}
TWO = {
    **ONE,
    "title": "Printer",
    "depends_on": ["TASK-001"],
    "acceptance_criteria": ["`test -f two.txt` exits 0"],
    "prompt": "Write the printer.",
}


SEEN = CriterionEvidence(met=True, evidence="read it")


@pytest.fixture
def world(world: World) -> World:
    """A project with a plan of two tasks, and a user who types."""
    world.environ[ATTENDED] = "1"
    world.reads_feedback = True
    write_plan(world, {"TASK-001": ONE, "TASK-002": TWO})
    return world


def plan_path(world: World) -> Path:
    return world.project / "TASKS.json"


def write_plan(world: World, tasks: dict[str, Any]) -> None:
    world.write("TASKS.json", json.dumps({"feature": "notes", "tasks": tasks}))


def type_prompt(world: World, text: str) -> Any:  # noqa: ANN401  whatever is answered
    answer = world.prompt(text)
    world.loop = world.session.get_loop_id()
    return answer


def stop_and_follow(world: World, **payload: Any) -> Any:  # noqa: ANN401  whatever is answered
    answer = world.stop(**payload)
    world.follow_session()
    return answer


def report(
    world: World,
    result: VerifierResult,
    *,
    task: str = "TASK-001",
    reason: str = "",
    **criteria: CriterionEvidence,
) -> None:
    names = {"help": HELP, "whole": "REQ-001 is implemented"}
    evidence = {names[name]: found for name, found in criteria.items()}
    found = VerifierReport(result=result, criteria=evidence, reason=reason)
    record_report(world.context, world.loop, task, found)


def records(world: World) -> list[Record]:
    found = [record for record in world.context.loops.list_all() if isinstance(record, Record)]
    return sorted(found, key=lambda record: record.contract.task)


def statuses(world: World) -> list[str]:
    return [task.status for task in read_plan(plan_path(world)).plan.tasks.values()]


def test_the_agent_first_learns_who_reports_what_no_check_sees(world: World) -> None:
    answer = type_prompt(world, "/untildone:implement-task TASK-001")

    reported = answer["hookSpecificOutput"]["additionalContext"]
    assert f"- {HELP} (report with `untildone verify TASK-001`)\n" in reported


def test_another_session_does_not_get_a_task_that_is_worked_on(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    other = TaskChoice(session=OTHER_SESSION, project=world.project, task="TASK-001")

    with pytest.raises(UserError, match=f"loop `{world.loop}` of another session is on `TASK-001`"):
        build_task_request(world.context, other)
    verbs.cancel(world.context, world.loop)

    assert build_task_request(world.context, other).session == OTHER_SESSION


def test_of_two_sessions_that_start_a_task_at_once_one_gets_it(world: World) -> None:
    asked = [
        build_task_request(world.context, TaskChoice(session=each, project=world.project))
        for each in (SESSION, OTHER_SESSION)
    ]

    with ThreadPoolExecutor() as pool:
        starts = [pool.submit(begin_loop, world.context, request) for request in asked]
        errors = [start.exception() for start in starts]

    (loop,) = records(world)
    assert [str(error) for error in errors if error] == [
        f"loop `{loop.contract.id}` of another session is on `TASK-001` already"
    ]


def test_a_report_recorded_while_the_checks_run_is_not_lost(world: World) -> None:
    waits = "touch ../started; while test -f ../block; do sleep 0.05; done; test -f one.txt"
    write_plan(world, {"TASK-001": {**ONE, "acceptance_criteria": [f"`{waits}` exits 0", HELP]}})
    type_prompt(world, "/untildone:implement-task TASK-001")
    world.write("one.txt", "")
    (world.folder / "block").touch()

    with ThreadPoolExecutor() as pool:
        stopping = pool.submit(world.stop)
        while not (world.folder / "started").exists():
            time.sleep(0.01)
        report(world, "VERIFIED", help=SEEN)
        (world.folder / "block").unlink()
        stopping.result()
    if world.state()[0] == "active":
        world.stop()

    assert world.state()[:2] == ("finished", "done")


def test_a_task_is_held_until_it_is_verified(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    begun = statuses(world)
    contract = world.record.contract

    red = world.stop()
    world.write("one.txt", "")
    report(
        world, "INCOMPLETE", help=CriterionEvidence(met=False, evidence="`--help` has no such line")
    )
    incomplete = world.stop()
    report(world, "VERIFIED", help=SEEN)
    released = world.stop()

    assert begun == ["in_progress", "not_started"]
    assert [check.command for check in contract.checks] == ["test -f one.txt"]
    assert [claim.name for claim in contract.claims] == [HELP]
    assert (contract.done_when, contract.bounds.rounds) == ("both", 5)
    assert "Unmet: `test -f one.txt` exits 0, The help names the option." in shown(red)
    assert f"Missing, by the verifier:\n- {HELP}: `--help` has no such line\n" in shown(incomplete)
    assert "Ask the subagent `untildone-task-verifier` (of the plugin" in shown(incomplete)
    assert released["systemMessage"].startswith("untildone: done after 3 rounds")
    assert world.state() == ("finished", "done", 3)
    assert statuses(world) == ["completed", "not_started"]


def test_the_user_reads_how_far_the_feature_is(world: World) -> None:
    type_prompt(world, "/untildone:implement-feature")
    world.write("one.txt", "")
    report(world, "VERIFIED", help=SEEN)

    answer = stop_and_follow(world)

    lines = answer["systemMessage"].splitlines()
    assert lines[1] == "TASK-001 verified, 1 of 2"
    assert re.match(r"untildone: loop \w+ \(TASK-002: .+\) holds this session until ", lines[2])


def test_the_checks_of_the_project_must_hold_too(world: World) -> None:
    (world.project / "Makefile").write_text("test:\n\ttest -f tested\n", encoding="utf-8")

    type_prompt(world, "/untildone:implement-task TASK-001")

    contract = world.record.contract
    assert [check.command for check in contract.checks] == ["make test", "test -f one.txt"]
    assert [claim.name for claim in contract.claims] == [HELP]


def test_a_task_that_is_not_verified_in_five_rounds_pauses_and_stays_in_progress(
    world: World,
) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    world.write("one.txt", "")

    for _ in range(5):
        world.stop()

    assert world.state() == ("paused", "out-of-rounds", 5)
    assert statuses(world) == ["in_progress", "not_started"]


@pytest.mark.parametrize("result", ["BLOCKED", "MISALIGNED"])
def test_what_more_work_would_not_fix_pauses_at_once_and_is_named(
    world: World, result: VerifierResult
) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    report(world, result, reason="the PRD asks for a queue")

    world.stop()

    progress = world.progress
    assert (progress.outcome, progress.reason) == ("blocked", f"{result}: the PRD asks for a queue")
    verbs.resume(world.context, world.loop)
    assert shown(world.stop()).startswith("[untildone] Round 2 of 5: not done yet.")


def test_nothing_is_verified_without_evidence_and_by_assumption(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    world.write("one.txt", "")

    report(world, "VERIFIED")
    unshown = world.stop()
    report(world, "VERIFIED", help=CriterionEvidence(met=True, evidence="surely", by="assumption"))
    assumed = world.stop()
    report(world, "VERIFIED", help=CriterionEvidence(met=True, evidence=" "))
    blank = world.stop()

    for answer in (unshown, assumed, blank):
        assert f"- {HELP}: no evidence was given" in shown(answer)
    assert world.state() == ("active", None, 3)


def test_a_verifier_s_word_makes_no_red_check_green(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    record_report(
        world.context,
        world.loop,
        "TASK-001",
        VerifierReport(result="VERIFIED", criteria={HELP: SEEN, "`test -f one.txt` exits 0": SEEN}),
    )

    held = world.stop()

    assert "Unmet: `test -f one.txt` exits 0." in shown(held)
    assert list(world.progress.met) == [HELP]


def test_markers_of_the_seed_are_understood(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    world.write("one.txt", "")

    marked = "<task-loop-complete>{}</task-loop-complete>"
    world.stop(last_assistant_message=marked.format("INCOMPLETE"))
    unproved = world.stop(last_assistant_message=marked.format("VERIFIED"))
    met = AgentVerb(verb="met", name=HELP, by="review", text="read it")
    verbs.record_agent_verb(world.context, world.loop, met)
    world.stop(last_assistant_message=marked.format("BLOCKED"))

    assert f"Unmet: {HELP}." in shown(unproved)
    progress = world.progress
    assert (progress.outcome, progress.reason) == ("blocked", "BLOCKED")
    verbs.resume(world.context, world.loop)
    world.stop(last_assistant_message=marked.format("VERIFIED"))
    assert world.state() == ("finished", "done", 4)


def test_the_promise_of_the_prompt_stands_for_the_verifier(world: World) -> None:
    prompt_text = snippet("""
        Write the parser.

        ## Completion Promise

        THE HELP IS WRITTEN""")
    write_plan(world, {"TASK-001": {**ONE, "prompt": prompt_text}})
    type_prompt(world, "/untildone:implement-task TASK-001")
    world.write("one.txt", "")

    world.stop(last_assistant_message="Done.")
    world.stop(last_assistant_message="<promise>THE HELP IS WRITTEN</promise>")

    assert world.state() == ("finished", "done", 2)
    met = world.progress.met
    assert met[HELP].evidence == "promised: THE HELP IS WRITTEN"


def test_a_feature_goes_from_task_to_task_and_ends_with_a_verdict(world: World) -> None:
    type_prompt(world, "/untildone:implement-feature notes")
    first = world.loop
    world.write("one.txt", "")
    report(world, "VERIFIED", help=SEEN)
    second = stop_and_follow(world)
    stop_and_follow(world, last_assistant_message="Not yet.")
    world.write("two.txt", "")
    report(world, "VERIFIED", task="TASK-002")
    whole = stop_and_follow(world)
    report(world, "VERIFIED", task="feature", whole=SEEN)
    last = stop_and_follow(world)

    assert shown(second).startswith(f"[untildone] That task is finished (loop {first}).")
    assert "TASK-002: Printer\n\nWrite the printer." in shown(second)
    assert "feature: The feature `notes` as a whole" in shown(whole)
    assert last["systemMessage"].startswith("untildone: done after 1 round")
    assert statuses(world) == ["completed", "completed"]
    assert [record.progress.round for record in records(world)] == [1, 2, 1]


def test_the_marker_of_the_seed_approves_a_feature_that_holds(world: World) -> None:
    write_plan(world, {"TASK-001": {**ONE, "status": "completed"}})
    type_prompt(world, "/untildone:implement-feature")
    world.write("one.txt", "")
    approved = "<feature-complete>APPROVED_WITH_WARNINGS</feature-complete>"

    world.stop(last_assistant_message=approved)
    unproved = world.state()
    met = AgentVerb(verb="met", name="REQ-001 is implemented", by="review", text="read it")
    verbs.record_agent_verb(world.context, world.loop, met)
    world.stop(last_assistant_message=approved)

    assert (unproved, world.state()) == (("active", None, 1), ("finished", "done", 2))


def test_a_plan_that_asks_for_less_is_not_gone_on_with(world: World) -> None:
    type_prompt(world, "/untildone:implement-feature")
    write_plan(world, {"TASK-001": ONE, "TASK-002": {**TWO, "acceptance_criteria": ["It exists"]}})
    world.write("one.txt", "")
    report(world, "VERIFIED", help=SEEN)

    answer = stop_and_follow(world)

    assert "have changed since the first one began" in answer["systemMessage"]
    assert world.session.get_loop_id() == ""


def test_a_status_that_the_agent_writes_completes_nothing(world: World) -> None:
    type_prompt(world, "/untildone:implement-feature")
    write_plan(
        world,
        {"TASK-001": {**ONE, "status": "in_progress"}, "TASK-002": {**TWO, "status": "completed"}},
    )
    world.write("one.txt", "")
    report(world, "VERIFIED", help=SEEN)

    assert "TASK-002: Printer" in shown(stop_and_follow(world))


def test_a_cancelled_task_is_given_back(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")

    type_prompt(world, "/untildone:cancel")

    assert statuses(world) == ["not_started", "not_started"]


def test_a_plan_that_is_gone_keeps_nobody_from_ending(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    plan_path(world).unlink()
    world.write("one.txt", "")
    report(world, "VERIFIED", help=SEEN)

    answer = world.stop()

    assert world.state() == ("finished", "done", 1)
    assert "`TASK-001` is completed, but the plan was not changed" in answer["systemMessage"]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("implement-task", "no task is named"),
        ("implement-task TASK-009", "`TASK-009` is not a task of"),
        ("implement-task TASK-002", "`TASK-002` waits for `TASK-001`"),
        ("implement-task TASK-001 notes too", "`too` is one word too many"),
        ("implement-task TASK-001 other", "`other` is not a plan of"),
        ("implement-feature other", "`other` is not a plan of"),
    ],
)
def test_what_cannot_begin_is_reported_and_begins_nothing(
    world: World, typed: str, message: str
) -> None:
    answer = type_prompt(world, f"/untildone:{typed}")

    assert message in json.dumps(answer, ensure_ascii=False)
    assert (world.loop, statuses(world)) == ("", ["not_started", "not_started"])


def test_a_completed_task_is_not_begun_again(world: World) -> None:
    write_plan(world, {"TASK-001": {**ONE, "status": "completed"}})

    assert "`TASK-001` is completed" in str(
        type_prompt(world, "/untildone:implement-task TASK-001")
    )


def test_an_agent_needs_the_user_s_trust_in_the_plan(world: World) -> None:
    asked = TaskChoice(session=SESSION, project=world.project, task="TASK-001", by="agent")

    with pytest.raises(UserError, match="are not trusted"):
        build_task_request(world.context, asked)
    trust_plan(world.context, plan_path(world), read_plan(plan_path(world)).plan)

    assert build_task_request(world.context, asked).by == "agent"


@pytest.mark.parametrize("named", ["TASKS.json", ".", "notes"])
def test_a_plan_is_named_by_its_file_its_folder_or_its_feature(world: World, named: str) -> None:
    asked = TaskChoice(session=SESSION, project=world.project, plan=named)
    plan = build_task_request(world.context, asked).plan

    assert plan is not None
    assert (Path(plan.path), plan.task, plan.rest) == (plan_path(world), "TASK-001", ("TASK-002",))


def test_what_was_begun_comes_first(world: World) -> None:
    write_plan(world, {"TASK-001": ONE, "TASK-003": {**ONE, "status": "in_progress"}})

    plan = build_task_request(
        world.context, TaskChoice(session=SESSION, project=world.project)
    ).plan

    assert plan is not None
    assert (plan.task, plan.rest) == ("TASK-003", ("TASK-001",))


def test_a_report_on_something_else_is_refused(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")

    with pytest.raises(UserError, match="is on `TASK-001`, not on `TASK-002`"):
        report(world, "VERIFIED", task="TASK-002")
    with pytest.raises(UserError, match="is not a criterion of loop"):
        report(world, "VERIFIED", whole=SEEN)
    verbs.end(world.context, world.loop, Pause(outcome="paused", reason="x"))
    verbs.cancel(world.context, world.loop)
    world.start(bounds=Bounds())
    with pytest.raises(UserError, match="does not belong to a plan"):
        report(world, "VERIFIED")


def test_a_sandboxed_shell_hands_its_report_over(world: World) -> None:
    type_prompt(world, "/untildone:implement-task TASK-001")
    world.write("one.txt", "")
    report = json.dumps({"result": "VERIFIED", "criteria": {HELP: {"met": True, "evidence": "x"}}})
    verbs_said = (AgentVerb(verb="verify", name="TASK-001", text=text) for text in ("none", report))
    call = {
        "tool_name": "Bash",
        "tool_input": {"command": "untildone verify TASK-001 --result VERIFIED"},
        "tool_response": {"stdout": "\n".join(map(format_verb, verbs_said))},
    }
    calls = Path(world.session.folder) / "calls"
    calls.mkdir(exist_ok=True)
    calls.joinpath("17").write_text(json.dumps(call), encoding="utf-8")

    world.stop()

    assert world.state() == ("finished", "done", 1)
