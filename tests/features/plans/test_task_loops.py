"""Tasks of a plan as loops: sealed criteria, verification, one task after another."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.test_stop import ENVIRON, SESSION, told
from engine.test_stop import World as Stops
from untildone.app import open_context
from untildone.core.contract import Bounds
from untildone.core.plan_task import VerifierResult
from untildone.core.verdict import Pause
from untildone.engine import prompt, verbs
from untildone.engine.agent_verbs import AgentVerb, format_verb
from untildone.engine.payload import Call
from untildone.errors import UserError
from untildone.features.plans.document import read_plan
from untildone.features.plans.reports import CriterionEvidence, VerifierReport, record_report
from untildone.features.plans.task_loops import TaskChoice, build_task_request
from untildone.features.plans.trust import trust_plan
from untildone.store.loops import Record

PERSON = {**ENVIRON, "CLAUDE_CODE_SESSION_ATTENDED": "1"}
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


class World(Stops):
    """A project with a plan of two tasks, and a person who types."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.here = open_context(PERSON, home=str(folder / "state"))
        self.plan = self.project / "TASKS.json"
        self.write({"TASK-001": ONE, "TASK-002": TWO})

    def write(self, tasks: dict[str, Any]) -> None:
        self.plan.write_text(json.dumps({"feature": "notes", "tasks": tasks}), encoding="utf-8")

    def type(self, text: str) -> Any:  # noqa: ANN401  whatever is answered
        call = Call("UserPromptSubmit", "claude", "settings", str(self.here.home))
        fields = {"session_id": SESSION, "cwd": str(self.project), "prompt_id": "p1"}
        call.data = {**fields, "prompt": text}
        answer = prompt.answer_prompt(self.here, call)
        self.loop = self.here.session(SESSION).get_loop_id()
        return json.loads(answer) if answer else None

    def next(self, **said: Any) -> Any:  # noqa: ANN401  whatever is answered
        answer = self.stop(**said)
        self.loop = self.here.session(SESSION).get_loop_id() or self.loop
        return answer

    def report(
        self,
        result: VerifierResult,
        *,
        task: str = "TASK-001",
        reason: str = "",
        **criteria: CriterionEvidence,
    ) -> None:
        named = {
            {"help": HELP, "whole": "REQ-001 is implemented"}[k]: v for k, v in criteria.items()
        }
        record_report(
            self.here, self.loop, task, VerifierReport(result=result, criteria=named, reason=reason)
        )

    def touch(self, name: str) -> None:
        (self.project / name).touch()

    def records(self) -> list[Record]:
        found = [each for each in self.here.loops.list_all() if isinstance(each, Record)]
        return sorted(found, key=lambda record: record.contract.task, reverse=False)

    @property
    def statuses(self) -> list[str]:
        return [task.status for task in read_plan(self.plan).plan.tasks.values()]


SEEN = CriterionEvidence(met=True, evidence="read it")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_the_agent_is_told_from_the_start_who_reports_what_no_check_sees(world: World) -> None:
    answer = world.type("/untildone:implement-task TASK-001")

    told = answer["hookSpecificOutput"]["additionalContext"]
    assert f"- {HELP} (report with `untildone verify TASK-001`)\n" in told


def test_a_task_is_held_until_it_is_verified(world: World) -> None:
    world.type("/untildone:implement-task TASK-001")
    begun = world.statuses
    contract = world.here.loops.load(world.loop).contract

    red = world.stop()
    world.touch("one.txt")
    world.report(
        "INCOMPLETE", help=CriterionEvidence(met=False, evidence="`--help` has no such line")
    )
    incomplete = world.stop()
    world.report("VERIFIED", help=SEEN)
    released = world.stop()

    assert begun == ["in_progress", "not_started"]
    assert [check.command for check in contract.checks] == ["test -f one.txt"]
    assert [claim.name for claim in contract.claims] == [HELP]
    assert (contract.done_when, contract.bounds.rounds) == ("both", 5)
    assert "Unmet: `test -f one.txt` exits 0, The help names the option." in told(red)
    assert f"Missing, by the verifier:\n- {HELP}: `--help` has no such line\n" in told(incomplete)
    assert "Ask the subagent task-verifier" in told(incomplete)
    assert released["systemMessage"].startswith("untildone: done after 3 rounds")
    assert world.state == ("finished", "done", 3)
    assert world.statuses == ["completed", "not_started"]


def test_the_checks_of_the_project_must_hold_too(world: World) -> None:
    (world.project / "Makefile").write_text("test:\n\ttest -f tested\n", encoding="utf-8")

    world.type("/untildone:implement-task TASK-001")

    contract = world.here.loops.load(world.loop).contract
    assert [check.command for check in contract.checks] == ["make test", "test -f one.txt"]
    assert [claim.name for claim in contract.claims] == [HELP]


def test_a_task_that_is_not_verified_in_five_rounds_pauses_and_stays_in_progress(
    world: World,
) -> None:
    world.type("/untildone:implement-task TASK-001")
    world.touch("one.txt")

    for _ in range(5):
        world.stop()

    assert world.state == ("paused", "out-of-rounds", 5)
    assert world.statuses == ["in_progress", "not_started"]


@pytest.mark.parametrize("result", ["BLOCKED", "MISALIGNED"])
def test_what_more_work_would_not_mend_pauses_at_once_and_is_named(
    world: World, result: VerifierResult
) -> None:
    world.type("/untildone:implement-task TASK-001")
    world.report(result, reason="the PRD asks for a queue")

    world.stop()

    progress = world.here.loops.load(world.loop).progress
    assert (progress.outcome, progress.reason) == ("blocked", f"{result}: the PRD asks for a queue")
    verbs.resume(world.here, world.loop)
    assert told(world.stop()).startswith("[untildone] Round 2 of 5: not done yet.")


def test_nothing_is_verified_without_evidence_and_by_assumption(world: World) -> None:
    world.type("/untildone:implement-task TASK-001")
    world.touch("one.txt")

    world.report("VERIFIED")
    unshown = world.stop()
    world.report("VERIFIED", help=CriterionEvidence(met=True, evidence="surely", by="assumption"))
    assumed = world.stop()

    for answer in (unshown, assumed):
        assert f"- {HELP}: no evidence was given" in told(answer)
    assert world.state == ("active", None, 2)


def test_a_verifier_s_word_makes_no_red_check_green(world: World) -> None:
    world.type("/untildone:implement-task TASK-001")
    record_report(
        world.here,
        world.loop,
        "TASK-001",
        VerifierReport(result="VERIFIED", criteria={HELP: SEEN, "`test -f one.txt` exits 0": SEEN}),
    )

    held = world.stop()

    assert "Unmet: `test -f one.txt` exits 0." in told(held)
    assert list(world.here.loops.load(world.loop).progress.met) == [HELP]


def test_markers_of_the_seed_are_understood(world: World) -> None:
    world.type("/untildone:implement-task TASK-001")
    world.touch("one.txt")

    marked = "<task-loop-complete>{}</task-loop-complete>"
    world.stop(last_assistant_message=marked.format("INCOMPLETE"))
    unproved = world.stop(last_assistant_message=marked.format("VERIFIED"))
    met = AgentVerb(verb="met", name=HELP, by="review", text="read it")
    verbs.record_agent_verb(world.here, world.loop, met)
    world.stop(last_assistant_message=marked.format("BLOCKED"))

    assert f"Unmet: {HELP}." in told(unproved)
    progress = world.here.loops.load(world.loop).progress
    assert (progress.outcome, progress.reason) == ("blocked", "BLOCKED")
    verbs.resume(world.here, world.loop)
    world.stop(last_assistant_message=marked.format("VERIFIED"))
    assert world.state == ("finished", "done", 4)


def test_the_promise_of_the_prompt_stands_for_the_verifier(world: World) -> None:
    prompt_text = "Write the parser.\n\n## Completion Promise\n\nTHE HELP IS WRITTEN"
    world.write({"TASK-001": {**ONE, "prompt": prompt_text}})
    world.type("/untildone:implement-task TASK-001")
    world.touch("one.txt")

    world.stop(last_assistant_message="Done.")
    world.stop(last_assistant_message="<promise>THE HELP IS WRITTEN</promise>")

    assert world.state == ("finished", "done", 2)
    met = world.here.loops.load(world.loop).progress.met
    assert met[HELP].evidence == "promised: THE HELP IS WRITTEN"


def test_a_feature_goes_from_task_to_task_and_ends_with_a_verdict(world: World) -> None:
    world.type("/untildone:implement-feature notes")
    first = world.loop
    world.touch("one.txt")
    world.report("VERIFIED", help=SEEN)
    second = world.next()
    world.next(last_assistant_message="Not yet.")
    world.touch("two.txt")
    world.report("VERIFIED", task="TASK-002")
    whole = world.next()
    world.report("VERIFIED", task="feature", whole=SEEN)
    last = world.next()

    assert told(second).startswith(f"[untildone] That task is finished (loop {first}).")
    assert "TASK-002: Printer\n\nWrite the printer." in told(second)
    assert "feature: The feature `notes` as a whole" in told(whole)
    assert last["systemMessage"].startswith("untildone: done after 1 round")
    assert world.statuses == ["completed", "completed"]
    assert [record.progress.round for record in world.records()] == [1, 2, 1]


def test_the_marker_of_the_seed_approves_a_feature_that_holds(world: World) -> None:
    world.write({"TASK-001": {**ONE, "status": "completed"}})
    world.type("/untildone:implement-feature")
    world.touch("one.txt")
    approved = "<feature-complete>APPROVED_WITH_WARNINGS</feature-complete>"

    world.stop(last_assistant_message=approved)
    unproved = world.state
    met = AgentVerb(verb="met", name="REQ-001 is implemented", by="review", text="read it")
    verbs.record_agent_verb(world.here, world.loop, met)
    world.stop(last_assistant_message=approved)

    assert (unproved, world.state) == (("active", None, 1), ("finished", "done", 2))


def test_a_plan_that_asks_for_less_is_not_gone_on_with(world: World) -> None:
    world.type("/untildone:implement-feature")
    world.write({"TASK-001": ONE, "TASK-002": {**TWO, "acceptance_criteria": ["It exists"]}})
    world.touch("one.txt")
    world.report("VERIFIED", help=SEEN)

    answer = world.next()

    assert "have changed since the first one began" in answer["systemMessage"]
    assert world.here.session(SESSION).get_loop_id() == ""


def test_a_status_that_the_agent_writes_completes_nothing(world: World) -> None:
    world.type("/untildone:implement-feature")
    world.write(
        {"TASK-001": {**ONE, "status": "in_progress"}, "TASK-002": {**TWO, "status": "completed"}}
    )
    world.touch("one.txt")
    world.report("VERIFIED", help=SEEN)

    assert "TASK-002: Printer" in told(world.next())


def test_a_cancelled_task_is_given_back(world: World) -> None:
    world.type("/untildone:implement-task TASK-001")

    world.type("/untildone:cancel")

    assert world.statuses == ["not_started", "not_started"]


def test_a_plan_that_is_gone_keeps_nobody_from_ending(world: World) -> None:
    world.type("/untildone:implement-task TASK-001")
    world.plan.unlink()
    world.touch("one.txt")
    world.report("VERIFIED", help=SEEN)

    answer = world.stop()

    assert world.state == ("finished", "done", 1)
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
def test_what_cannot_begin_is_told_and_begins_nothing(
    world: World, typed: str, message: str
) -> None:
    answer = world.type(f"/untildone:{typed}")

    assert message in json.dumps(answer, ensure_ascii=False)
    assert (world.loop, world.statuses) == ("", ["not_started", "not_started"])


def test_a_completed_task_is_not_begun_again(world: World) -> None:
    world.write({"TASK-001": {**ONE, "status": "completed"}})

    assert "`TASK-001` is completed" in str(world.type("/untildone:implement-task TASK-001"))


def test_an_agent_needs_the_person_s_trust_in_the_plan(world: World) -> None:
    asked = TaskChoice(session=SESSION, project=world.project, task="TASK-001", by="agent")

    with pytest.raises(UserError, match="are not trusted"):
        build_task_request(world.here, asked)
    trust_plan(world.here, world.plan, read_plan(world.plan).plan)

    assert build_task_request(world.here, asked).by == "agent"


@pytest.mark.parametrize("named", ["TASKS.json", ".", "notes"])
def test_a_plan_is_named_by_its_file_its_folder_or_its_feature(world: World, named: str) -> None:
    asked = TaskChoice(session=SESSION, project=world.project, plan=named)
    plan = build_task_request(world.here, asked).plan

    assert plan is not None
    assert (Path(plan.path), plan.task, plan.rest) == (world.plan, "TASK-001", ("TASK-002",))


def test_what_was_begun_comes_first(world: World) -> None:
    world.write({"TASK-001": ONE, "TASK-003": {**ONE, "status": "in_progress"}})

    plan = build_task_request(world.here, TaskChoice(session=SESSION, project=world.project)).plan

    assert plan is not None
    assert (plan.task, plan.rest) == ("TASK-003", ("TASK-001",))


def test_a_report_on_something_else_is_refused(world: World) -> None:
    world.type("/untildone:implement-task TASK-001")

    with pytest.raises(UserError, match="is on `TASK-001`, not on `TASK-002`"):
        world.report("VERIFIED", task="TASK-002")
    with pytest.raises(UserError, match="is not a criterion of loop"):
        world.report("VERIFIED", whole=SEEN)
    verbs.end(world.here, world.loop, Pause(outcome="paused", reason="x"))
    verbs.cancel(world.here, world.loop)
    world.start(bounds=Bounds())
    with pytest.raises(UserError, match="does not belong to a plan"):
        world.report("VERIFIED")


def test_a_sandboxed_shell_hands_its_report_over(world: World) -> None:
    world.type("/untildone:implement-task TASK-001")
    world.touch("one.txt")
    report = json.dumps({"result": "VERIFIED", "criteria": {HELP: {"met": True, "evidence": "x"}}})
    verbs_said = (AgentVerb(verb="verify", name="TASK-001", text=text) for text in ("none", report))
    call = {
        "tool_name": "Bash",
        "tool_input": {"command": "untildone verify TASK-001 --result VERIFIED"},
        "tool_response": {"stdout": "\n".join(map(format_verb, verbs_said))},
    }
    calls = Path(world.here.session(SESSION).folder) / "calls"
    calls.mkdir(exist_ok=True)
    calls.joinpath("17").write_text(json.dumps(call), encoding="utf-8")

    world.stop()

    assert world.state == ("finished", "done", 1)
