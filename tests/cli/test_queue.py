"""`untildone queue`: what is added, shown and changed, and which mistakes are named."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.world import CommandLine
from untildone.agents.headless import RunEvent
from untildone.cli.main import main
from untildone.cli.worker_display import describe_event
from untildone.extras import describe_extra
from untildone.runs.queue import worker_events
from world import Machine

HOSTILE = "<script>\x1b[31m\u202eevil\x07\n" + "x" * 5_000


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    machine.git("init", "-q", "-b", "main")
    monkeypatch.setenv("UNTILDONE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("UNTILDONE_DATABASE", raising=False)
    monkeypatch.chdir(machine.project)
    return machine


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = main(["queue", *arguments])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    return printed.out


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:  # noqa: ANN401  any JSON
    return json.loads(call(capsys, *arguments, "--json"))


def fail(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def test_the_options_of_a_task_count_for_each_of_a_plan(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = {name: {"title": name, "checks": ["make"]} for name in ("one", "two")}
    plan = machine.project / "TASKS.json"
    plan.write_text(json.dumps({"version": "1.0", "tasks": tasks}), encoding="utf-8")
    given = ("--deadline", "2126-05-04T18:00+00:00", "--retries", "7", "--priority", "3")
    answer(capsys, "add", "--plan", str(plan), *given)

    listed = answer(capsys, "list")["tasks"]
    shown = {(task["deadline"][:10], task["retries"], task["priority"]) for task in listed}
    assert (len(listed), shown) == (2, {("2126-05-04", 7, 3)})


def test_a_task_is_added_with_the_options_of_start(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    first = answer(capsys, "add", "Port it", "--check", "make", "--rounds", "3")["ids"][0]
    second = answer(capsys, "add", "Then this", "--after", first, "--priority", "4")["ids"][0]

    shown = answer(capsys, "show", first)
    assert shown["options"] == {"task": "Port it", "checks": ["make"], "rounds": 3}
    assert shown["task"]["repository"] == str(machine.project)
    listed = answer(capsys, "list")
    assert [task["id"] for task in listed["tasks"]] == [second, first]
    assert listed["tasks"][0]["waits_for"] == [first]
    assert f"{second}  queued     after {first}" in call(capsys, "list")


def test_the_users_verbs(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert machine.project
    task = answer(capsys, "add", "Port it")["ids"][0]

    assert call(capsys, "cancel", task[:6]) == f"{task}: cancelled\n"
    assert "no open task" in call(capsys, "list", "--watch")
    assert f"{task}  cancelled" in call(capsys, "list", "--all")
    assert call(capsys, "retry", task) == f"{task}: queued again\n"
    assert "pause --off" in call(capsys, "pause")
    assert call(capsys, "list").startswith("paused: ")
    assert call(capsys, "pause", "--off") == "not paused\n"
    assert answer(capsys, "drain")["changed"] == []


def test_a_template_takes_its_argument(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert machine.project
    task = answer(capsys, "add", "80", "--template", "coverage-to")["ids"][0]

    assert answer(capsys, "show", task)["options"] == {"template": "coverage-to 80"}


def test_a_backlog_is_added(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    key = "sk-ant-" + "api03-" + "a1B2" * 12
    issues = [{"number": 7, "title": "Crash"}, {"number": 8, "title": f"Use {key}"}]
    machine.write("issues.json", json.dumps(issues))

    assert main(["queue", "add", "--from", "issues.json", "--check", "make"]) == 0
    printed = capsys.readouterr()
    assert printed.out == "added 2 tasks\n"
    assert printed.err == "note: secrets were taken out of 1 task\n"
    assert [task["source"] for task in answer(capsys, "list")["tasks"]] == ["7", "8"]


def test_hostile_text_is_inert(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert machine.project
    task = answer(capsys, "add", HOSTILE, "--base", "\x1b[2J")["ids"][0]
    taken = worker_events.TaskTaken(title=HOSTILE, repository="", is_taken_over=False)

    views = call(capsys, "list") + call(capsys, "show", task) + describe_event(taken)
    assert "\x1b" not in views
    assert "\u202e" not in views
    assert "\x07" not in views


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("queue", "add"), "give a task, `--from FILE` or `--plan TASKS.json`"),
        (("queue", "add", "x", "--repo", "/none"), "`/none` is no git repository"),
        (("queue", "add", "x", "--database", "mysql://h/d"), "`mysql` is no database"),
        (("queue", "list", "--database", "/proc/none/q"), "`/proc/none/q` cannot be used"),
        (("queue", "show", "zz"), "there is no task `zz`"),
        (("worker", "--client", "none-such"), "`none-such` was not found"),
        (
            ("worker", "--client", "true", "--database", "postgresql://127.0.0.1:1/x"),
            "a shared queue needs the repositories",
        ),
    ],
)
def test_mistakes_are_named_with_their_remedy(
    machine: Machine, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], reason: str
) -> None:
    assert machine.project
    printed = fail(capsys, *arguments)
    assert reason in printed
    assert "\nhint: " in printed


@pytest.mark.parametrize("arguments", [("queue", "list"), ("queue", "demo"), ("worker",)])
def test_the_missing_extra_is_named(
    machine: Machine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    assert machine.project
    monkeypatch.setitem(sys.modules, "dbos", None)
    options = ("--client", "true") if arguments == ("worker",) else ()
    printed = fail(capsys, *arguments, *options)
    assert "the queue needs the package `dbos`" in printed
    assert describe_extra("cluster") in printed


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            worker_events.WorkerStarted(
                worker="w", pid=1, database="db", agents=("claude",), labels=(), jobs=2
            ),
            "worker w: claude, 2 tasks at once; db",
        ),
        (
            worker_events.TaskTaken(title="Fix", repository="/r", is_taken_over=True),
            "goes on with Fix",
        ),
        (
            worker_events.TaskEnded(
                state="done", outcome="done", reason="", branch="b", commit="c" * 40
            ),
            "done: pushed b (cccccccccccc)",
        ),
        (
            worker_events.TaskEnded(
                state="ended", outcome="stagnated", reason="same", branch="", commit=""
            ),
            "stagnated: same",
        ),
        (
            worker_events.WorkerBuried(worker="w"),
            "worker w was silent for too long; its tasks can be taken",
        ),
        (worker_events.TaskFailed(error="\x1b[1mE\n"), "untildone failed:\nE\n"),
        (worker_events.WorkerDraining(reason="Ctrl-C"), "draining: Ctrl-C"),
        (
            worker_events.DatabaseAway(reason="\x1b[31mrefused\n"),
            "the database is away: refused; asking again",
        ),
        (worker_events.DatabaseBack(seconds=7.4), "the database is back after 7 s"),
        (
            worker_events.WorkerEnded(worker="w", reason="drained", exit_code=0),
            "worker w ended: drained",
        ),
    ],
)
def test_events_as_lines(event: RunEvent, text: str) -> None:
    assert describe_event(event) == text


@pytest.mark.usefixtures("machine")
def test_rounds_of_old_tasks_are_cleaned(capsys: pytest.CaptureFixture[str]) -> None:
    assert call(capsys, "clean", "--days", "7") == "the rounds of 0 tasks are removed\n"


def test_an_agent_may_not_change_the_queue(cli: CommandLine) -> None:
    cli.start()
    cli.event("SessionStart", source="startup")

    for words in (
        ("queue", "add", "write it", "--repo", "https://example.org/app"),
        ("queue", "clean"),
        ("worker", "--once"),
    ):
        code, _, stderr = cli.run_process(*words)

        assert (code, "only the user may run" in stderr) == (2, True), stderr
