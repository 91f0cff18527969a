"""Backlogs in files, and what may enter the queue."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from untildone.engine.request import StartOptions
from untildone.errors import UserError
from untildone.runs.queue.backlog import read_backlog
from untildone.runs.queue.planned_tasks import read_plan_tasks
from untildone.runs.queue.repositories import is_allowed
from untildone.runs.queue.submission import make_storable, resolve_repository
from untildone.runs.queue.values import NewTask
from world import Machine

DEFAULTS = NewTask(repository="/r", options=StartOptions(checks=("make test",)), priority=2)


def read(folder: Path, text: str) -> tuple[NewTask, ...]:
    path = folder / "backlog"
    path.write_text(text, encoding="utf-8")
    return read_backlog(path, DEFAULTS)


def test_each_line_is_a_task_with_its_own_options(tmp_path: Path) -> None:
    lines = '{"task": "A"}\n\n{"task": "B", "checks": ["x"], "rounds": 3, "labels": ["gpu"]}\n'
    first, second = read(tmp_path, lines)

    assert first == NewTask(
        repository="/r", options=StartOptions(task="A", checks=("make test",)), priority=2
    )
    assert second.options == StartOptions(task="B", checks=("x",), rounds=3)
    assert (second.labels, second.priority) == (("gpu",), 2)


def test_exported_issues_are_tasks(tmp_path: Path) -> None:
    issues = [
        {"number": 7, "title": "Crash", "body": "It does.", "url": "u", "labels": [{"name": "x"}]},
        {"number": 8, "title": "Slow", "body": None},
    ]
    first, second = read(tmp_path, json.dumps(issues))

    assert (first.options.task, first.source, first.labels) == ("Crash\n\nIt does.", "u", ())
    assert (second.options.task, second.source) == ("Slow", "8")


def test_the_open_tasks_of_a_plan_wait_for_those_they_depend_on(tmp_path: Path) -> None:
    prompt = "Write it.\n\n## Completion Promise\n\nIT IS NICE\n"
    tasks = {
        "C": {"title": "Last", "depends_on": ["A", "B", "D"], "allow": ["skip:t.py"]},
        "A": {"title": "First", "checks": ["make a"], "prompt": prompt},
        "B": {"title": "Other", "depends_on": ["A"], "acceptance_criteria": ["`make b` exits 0"]},
        "D": {"title": "Old", "status": "completed"},
    }
    path = tmp_path / "TASKS.json"
    path.write_text(json.dumps({"version": "1.0", "feature": "pay", "tasks": tasks}), "utf-8")

    added = read_plan_tasks(path, NewTask(repository="/r", options=StartOptions(), into="main"))

    assert [(one.source, one.after_new) for one in added] == [
        ("pay: A", ()),
        ("pay: B", (0,)),
        ("pay: C", (0, 1)),
    ]
    first, _, third = (one.plan for one in added)
    assert first
    assert third
    assert (first.promise, first.task.prompt, third.task.allow) == (
        "IT IS NICE",
        "",
        ("skip:t.py",),
    )
    assert (added[0].into, added[0].options.rounds) == ("main", 5)
    assert added[1].options.task == "B: Other\n\nWhat must hold:\n- `make b` exits 0"
    secret = replace(first, task=replace(first.task, checks=("TOKEN=ghp_" + "a1B2" * 9,)))
    with pytest.raises(UserError, match="has what looks like a secret"):
        make_storable(replace(added[0], plan=secret))


def test_a_completed_plan_has_nothing_to_add(tmp_path: Path) -> None:
    path = tmp_path / "TASKS.json"
    tasks = {"A": {"title": "Old", "status": "completed"}}
    path.write_text(json.dumps({"version": "1.0", "tasks": tasks}), encoding="utf-8")
    with pytest.raises(UserError, match="is completed"):
        read_plan_tasks(path, DEFAULTS)


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "a:b", "x.lock", "a/", "@", "/a", "é\n"])
def test_what_is_no_branch_is_refused(name: str) -> None:
    with pytest.raises(UserError, match="is no name of a branch"):
        make_storable(replace(DEFAULTS, into=name))
    assert make_storable(replace(DEFAULTS, into="release/1.2-x"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has no task"),
        ("{", "is no JSON"),
        ("[1]", "backlog:1` is no object"),
        ('{"task": "A"}\n{"tasc": "B"}', "backlog:2` has `tasc`"),
        ('{"task": "A", "oracle": "/x"}', "has `oracle`"),
        ('{"task": "A", "rounds": "many"}', "Expected `int"),
        ('{"task": " "}', "backlog:1` has no task"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        read(tmp_path, text)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "backlog").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="is not UTF-8"):
        read_backlog(tmp_path / "backlog", DEFAULTS)


def test_a_path_becomes_the_top_of_its_repository(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.git("init", "-q")
    machine.write("sub/x", "")
    machine.git("init", "-q", "--bare", str(tmp_path / "bare"))

    assert resolve_repository("sub", machine.project) == str(machine.project)
    assert resolve_repository("", machine.project) == str(machine.project)
    assert resolve_repository("../bare", machine.project) == str(tmp_path / "bare")
    for address in ("git@host:team/app.git", "https://host/app.git"):
        assert resolve_repository(address, tmp_path) == address
    with pytest.raises(UserError, match="is no git repository"):
        resolve_repository("nothing", tmp_path)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:pw@host/app.git",
        "https://opaque-token@host/app.git",
        "ssh://git:pw@host/app.git",
        "https://host/app.git?access_token=a1b2c3d4e5f6",
        "ghp_" + "a1B2" * 9 + "@host:app.git",
    ],
)
def test_an_address_with_a_login_is_refused(tmp_path: Path, address: str) -> None:
    with pytest.raises(UserError, match="has a login or a secret in it"):
        resolve_repository(address, tmp_path)


def test_secrets_do_not_enter_the_queue() -> None:
    key = "sk-ant-" + "api03-" + "a1B2" * 12
    text = f"Use {key}\0 and \ud800"
    task, was_changed = make_storable(NewTask(repository="/r", options=StartOptions(task=text)))
    assert was_changed
    assert key not in task.options.task
    assert "\0" not in task.options.task
    task.options.task.encode()

    options = StartOptions(task="x", checks=(f"curl -H {key}",))
    with pytest.raises(UserError, match="`checks` has what looks like a secret"):
        make_storable(NewTask(repository="/r", options=options))
    plain = NewTask(repository="/r", options=StartOptions(task="x"))
    for name, value in (("base", key), ("agent", key), ("labels", (key,))):
        with pytest.raises(UserError, match=f"`{name}` has what looks like a secret"):
            make_storable(replace(plain, **{name: value}))
    stored, was_changed = make_storable(replace(plain, source=f"https://host/?k={key}"))
    assert (key in stored.source, was_changed) == (False, True)


def test_a_label_with_a_tab_is_refused() -> None:
    task = NewTask(repository="/r", options=StartOptions(task="x"), labels=("a\tb",))
    with pytest.raises(UserError, match="has a tab in it"):
        make_storable(task)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (StartOptions(task="x" * 200_001), "the task has 200001 characters"),
        (StartOptions(task="x", rounds=-1), "`--rounds -1` is out of range"),
    ],
)
def test_what_no_worker_could_start_is_refused(options: StartOptions, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        make_storable(NewTask(repository="/r", options=options))


def test_a_worker_knows_its_repositories() -> None:
    patterns = ("git@host:team/*", "/srv/app")
    allowed = ["git@host:team/app.git", "/srv/app"]
    refused = ["git@host:other/app.git", "/srv/app/x", "GIT@host:team/app.git"]

    assert [name for name in (*allowed, *refused) if is_allowed(name, patterns)] == allowed
