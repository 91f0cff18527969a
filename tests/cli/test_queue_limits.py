"""`untildone queue limit`, `list --dead`, `retry --dead`, deadlines and retries as commands."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.world import CommandLine
from untildone.cli.main import main
from untildone.cli.worker_display import describe_event
from untildone.runs.queue.address import find_url
from untildone.runs.queue.database import open_database
from untildone.runs.queue.lease import Identity, Lease
from untildone.runs.queue.values import Course
from untildone.runs.queue.worker_events import TaskReturned
from world import Machine

NOW = "2026-05-04T13:07:00+00:00"
HOSTILE = "<script>\x1b[31m\u202eevil\x07\n" + "x" * 5_000


class User:
    """A user in a repository."""

    def __init__(self, machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
        self.machine = machine
        self._capsys = capsys

    def call(self, *arguments: str) -> str:
        code = main(["queue", *arguments])
        printed = self._capsys.readouterr()
        assert code == 0, printed.err
        return printed.out

    def answer(self, *arguments: str) -> Any:  # noqa: ANN401  any JSON
        return json.loads(self.call(*arguments, "--json"))

    def fail(self, *arguments: str) -> str:
        assert main(["queue", *arguments]) == 2
        return self._capsys.readouterr().err

    def worker(self) -> Lease:
        url = find_url("", home=self.machine.folder / "state", environ={})
        identity = Identity(id="w", host="h", pid=1, agents=("claude",), labels=(), jobs=1)
        lease = Lease(open_database(url), identity, seconds=60, now=lambda: NOW)
        lease.register()
        return lease


@pytest.fixture
def user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> User:
    machine = Machine(tmp_path)
    machine.git("init", "-q", "-b", "main")
    monkeypatch.setenv("UNTILDONE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("UNTILDONE_DATABASE", raising=False)
    monkeypatch.chdir(machine.project)
    return User(machine, capsys)


def test_limits_are_set_listed_and_removed(user: User) -> None:
    repository = str(user.machine.project)
    assert user.call("limit") == "no limit\n"
    user.call("limit", "--budget", "50/day", "--parallel", "8")
    user.call("limit", "--account", "claude:ann@h", "--budget", "20")
    printed = user.call("limit", "--repo", ".", "--rate", "10/hour")

    assert printed.splitlines() == [
        "account claude:ann@h: 0.00 of 20.00 USD since it was set",
        "queue: 0.00 of 50.00 USD today, 0 of 8 tasks at once",
        f"repository {repository}: 0 of 10 tasks in the last hour",
    ]
    listed = user.answer("limit", "--off")["limits"]
    assert [limit["kind"] for limit in listed] == ["account", "repository"]
    assert listed[1] == {
        "kind": "repository",
        "name": repository,
        "budget_usd": None,
        "period": "",
        "rate": 10,
        "parallel": None,
        "spent_usd": 0.0,
        "reserved_usd": 0.0,
        "started": 0,
        "running": 0,
    }


def test_what_a_limit_holds_back_says_so(user: User) -> None:
    user.answer("add", "Port it", "--budget", "2")
    waiting = user.answer("add", "Then this", "--budget", "2", "--deadline", "4h")["ids"][0]
    user.call("limit", "--budget", "3/day")
    worker = user.worker()
    assert worker.take(lambda _: True)
    assert worker.take(lambda _: True) is None

    assert "waits: budget of the queue used up or reserved" in user.call("list")
    shown = user.call("show", waiting)
    assert "waits: budget of the queue used up or reserved" in shown
    assert "deadline: 20" in shown
    assert "queue: 0.00 and 2.00 reserved of 3.00 USD today" in user.call("limit")


def test_dead_letters_say_why_and_come_back(user: User) -> None:
    assert user.call("list", "--dead") == "no dead letter\n"
    task = user.answer("add", "Port it", "--retries", "0")["ids"][0]
    worker = user.worker()
    taken = worker.take(lambda _: True)
    assert taken
    worker.finish(taken, Course(outcome="blocked", reason="crashed: exit 1", fault="crashed"))

    printed = user.call("list", "--dead")
    assert f"{task}  blocked    dead letter  Port it" in printed
    assert "attempt 1: crashed: exit 1 (w)" in printed
    (dead,) = user.answer("list", "--dead")["tasks"]
    assert (dead["is_dead"], len(dead["failures"])) == (True, 1)
    assert user.call("retry", "--dead") == f"{task}: queued again\n"
    assert user.call("retry", "--dead") == "no dead letter\n"


def test_a_sleeping_account_is_listed_and_hostile_text_is_inert(user: User) -> None:
    user.call("add", "Port it")
    user.call("limit", "--account", HOSTILE, "--parallel", "1")
    worker = user.worker()
    taken = worker.take(lambda _: True)
    assert taken
    limited = Course(outcome="paused", reason=HOSTILE, fault="limit", limit_seconds=60)
    worker.finish(taken, limited)

    views = user.call("list") + user.call("limit")
    views += describe_event(TaskReturned(reason=HOSTILE))
    assert "account claude:h  sleeps until 20" in views
    assert "worker w  alive  claude:h, 1 at once" in views
    assert not set(views) & {"\x1b", "\u202e", "\x07"}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("limit", "--budget", "much"), "`--budget much` is no budget"),
        (("limit", "--rate", "5"), "`--rate 5` is no rate"),
        (("limit", "--repo", ".", "--account", "a"), "for a repository or for an account"),
        (("limit", "--off", "--parallel", "2"), "`--off` removes the whole limit"),
        (("limit", "--off"), "there is no limit of the queue"),
        (("retry",), "give a task or `--dead`"),
        (("retry", "1f", "--dead"), "give a task or `--dead`"),
        (("add", "x", "--deadline", "soon"), "`soon` is no deadline"),
        (("add", "x", "--deadline", "2020-01-01"), "the deadline `2020-01-01` is past"),
        (("add", "--from", "backlog.jsonl"), "`retries` is -1"),
    ],
)
def test_mistakes_are_named_with_their_remedy(
    user: User, arguments: tuple[str, ...], reason: str
) -> None:
    user.machine.write("backlog.jsonl", '{"task": "x", "retries": -1}')
    printed = user.fail(*arguments)
    assert reason in printed
    assert "\nhint: " in printed


def test_an_agent_may_read_limits_and_not_change_them(cli: CommandLine) -> None:
    cli.start()
    cli.event("SessionStart", source="startup")

    assert cli.run_process("queue", "limit")[0] == 0
    code, _, stderr = cli.run_process("queue", "limit", "--off")
    assert (code, "only the user may run" in stderr) == (2, True), stderr
