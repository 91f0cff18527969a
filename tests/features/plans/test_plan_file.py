"""A plan's file: read, changed at the touched places only, written whole."""

import json
import multiprocessing
import os
import sys
from pathlib import Path

import pytest

from features.plans.samples import LOGIN, document, plan_text, write_plan
from store.disk import mount
from untildone.errors import UserError
from untildone.features.plans.editing import change_plan, edit_fields, edit_status, save_plan
from untildone.features.plans.plan import Mistake
from untildone.features.plans.plan_file import LARGEST_BYTES, read_plan, require_order, require_task


def read_error(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        require_order(read_plan(path, all_mistakes=True))
    assert caught.value.hint
    return caught.value.message


def test_nothing_to_change_leaves_every_byte(tmp_path: Path) -> None:
    path = write_plan(tmp_path)
    before = path.stat()

    change_plan(path, lambda found: edit_status(found, "TASK-002", "not_started"))

    assert (path.read_text(encoding="utf-8"), path.stat().st_ino) == (LOGIN, before.st_ino)


def test_a_status_changes_its_word_alone(tmp_path: Path) -> None:
    path = write_plan(tmp_path)

    plan = change_plan(path, lambda found: edit_status(found, "TASK-002", "in_progress")).plan

    head, tail = LOGIN.split('"not_started"', 1)
    assert path.read_text(encoding="utf-8") == f'{head}"in_progress"{tail}'
    assert plan.tasks["TASK-002"].status == "in_progress"
    change_plan(path, lambda found: edit_status(found, "TASK-002", "not_started"))
    assert path.read_text(encoding="utf-8") == LOGIN


def test_a_worker_is_written_and_taken_back(tmp_path: Path) -> None:
    path = write_plan(tmp_path)
    change_plan(path, lambda found: edit_status(found, "TASK-002", "in_progress", worker="a"))
    change_plan(path, lambda found: edit_status(found, "TASK-003", "in_progress", worker="b"))

    with pytest.raises(UserError) as caught:
        change_plan(path, lambda found: edit_status(found, "TASK-001", "in_progress", worker="a"))

    assert caught.value.message == "`TASK-002` is already in progress for `a`"
    done = change_plan(path, lambda found: edit_status(found, "TASK-002", "completed")).plan
    assert (done.tasks["TASK-002"].worker, done.tasks["TASK-003"].worker) == ("", "b")


def test_one_task_at_a_time(tmp_path: Path) -> None:
    text = LOGIN.replace('"not_started"', '"in_progress"', 1)

    with pytest.raises(UserError) as caught:
        edit_status(document(tmp_path, text), "TASK-003", "in_progress")

    assert (caught.value.message, caught.value.hint) == (
        "`TASK-002` is already in progress",
        "finish it, or run `untildone plan set-status TASK-002 not_started`",
    )


def test_a_wrong_summary_is_put_right_with_the_next_change(tmp_path: Path) -> None:
    text = LOGIN.replace('"total_points": 9', '"total_points": 7, "by": "me"')

    after = edit_status(document(tmp_path, text), "TASK-002", "completed")

    assert json.loads(after)["summary"] == {
        "total_tasks": 3,
        "total_points": 9,
        "by": "me",
        "critical_path": ["TASK-001", "TASK-003"],
    }


def test_a_missing_summary_is_added(tmp_path: Path) -> None:
    bare = '{"tasks": {"A": {"title": "x", "points": 1}}}'

    after = edit_fields(document(tmp_path, bare), {})

    assert json.loads(after)["summary"] == {
        "total_tasks": 1,
        "total_points": 1,
        "critical_path": ["A"],
    }


@pytest.mark.parametrize(
    "text", [LOGIN.replace("\n", "\r\n"), "\ufeff" + LOGIN, json.dumps(json.loads(LOGIN))]
)
def test_line_ends_a_byte_order_mark_and_one_line_are_kept(tmp_path: Path, text: str) -> None:
    path = write_plan(tmp_path, text)

    change_plan(path, lambda found: edit_status(found, "TASK-002", "completed"))

    assert path.read_bytes() == text.replace("not_started", "completed", 1).encode()


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links")
def test_mode_and_link_are_kept(tmp_path: Path) -> None:
    real = write_plan(tmp_path)
    real.chmod(0o664)
    link = tmp_path / "link" / "TASKS.json"
    link.parent.mkdir()
    link.symlink_to(real)

    change_plan(link, lambda found: edit_status(found, "TASK-002", "completed"))

    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o664
    assert read_plan(real).plan.tasks["TASK-002"].status == "completed"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["TASKS.json", "link"]


def _mark(path: Path, name: str) -> None:
    change_plan(path, lambda found: edit_status(found, name, "completed"))


@pytest.mark.skipif(sys.platform == "win32", reason="no lock there")
def test_changes_made_at_once_are_all_kept(tmp_path: Path) -> None:
    names = [f"T{number}" for number in range(12)]
    text = json.dumps({"tasks": {name: {"title": "x", "points": 1} for name in names}})
    path = write_plan(tmp_path, text)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_mark, args=(path, name)) for name in names]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert {task.status for task in read_plan(path).plan.tasks.values()} == {"completed"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "line 1: is not JSON (expecting property name enclosed in double quotes)"),
        ('{\n"tasks": {},\n}', "line 3: is not JSON"),
        ("[]", "is not a JSON object"),
        ("", "is not JSON (expecting value)"),
        ("[" * 100_000, "is not JSON"),
        ('{"tasks": {"A": {"title": "x", "points": NaN}}}', "is not JSON (nan is not a number)"),
    ],
)
def test_what_is_no_json_object_is_reported(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in read_error(write_plan(tmp_path, text))


def test_what_is_no_utf_8_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "TASKS.json"
    path.write_bytes(b'{\n"tasks": "\xff"}')

    assert read_error(path) == f"`{path}`, line 2: is not UTF-8"


def test_what_is_missing_no_file_or_huge_is_reported(tmp_path: Path) -> None:
    assert read_error(tmp_path / "TASKS.json") == f"there is no `{tmp_path / 'TASKS.json'}`"
    assert read_error(tmp_path) == f"`{tmp_path}` is not a file"
    huge = tmp_path / "huge.json"
    huge.touch()
    os.truncate(huge, LARGEST_BYTES + 1)
    assert read_error(huge) == f"`{huge}` is larger than 64 MB"


def test_every_mistake_of_shape_and_order_is_reported_at_once(tmp_path: Path) -> None:
    path = write_plan(
        tmp_path,
        plan_text(
            tasks={
                "A": {"title": "x", "status": "done", "points": "four", "testing": [1]},
                "B": {"depends_on": ["Z"]},
                "C": [],
            },
            phases={},
        ),
    )
    remedy = "correct it; `untildone plan init` writes a plan to compare with"

    assert read_error(path).splitlines() == [
        f"`{path}` has 7 mistakes",
        f"  `A`: `status`: invalid enum value 'done'; {remedy}",
        f"  `A`: `points`: expected `int`, got `str`; {remedy}",
        f"  `A`: `testing[0]`: expected `str`, got `int`; {remedy}",
        "  `B`: has no title; say in `title` what it is about",
        f"  `C`: is not an object; {remedy}",
        f"  `phases`: expected `array`, got `object`; {remedy}",
        "  `B`: `depends_on` names `Z`, which is not a task of this plan; "
        "correct the id, or take it out of `depends_on`",
    ]


@pytest.mark.parametrize("tasks", ["{}", '{"tasks": []}'])
def test_a_plan_without_tasks_is_reported(tmp_path: Path, tasks: str) -> None:
    assert "`tasks` is " in read_error(write_plan(tmp_path, tasks))


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        LOGIN.replace('"TASK-003": {', '"TASK-002": {'),
        '{"tasks": {"TASK-002": {"title": "a"}, "TASK-002": {"title": "b"}}}',
    ],
    ids=["with a summary", "without one"],
)
def test_a_task_that_stands_there_twice_is_reported(tmp_path: Path, text: str, whole: bool) -> None:
    path = write_plan(tmp_path, text)

    assert read_plan(path, all_mistakes=whole).mistakes == (
        Mistake(task="TASK-002", text="appears twice", remedy="leave one of them"),
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"phase": 2,', '"phase": 2, "phase": 2,', "`TASK-002`: `phase` appears twice"),
        ('"feature"', '"version": "1", "feature"', "`version` appears twice"),
        (
            '{"team": "accounts"}',
            '{"team": 1, "team": 2}',
            "`team` appears twice in a list or object inside it",
        ),
    ],
)
def test_a_key_that_stands_there_twice_is_reported_where_it_is_looked_at_closely(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    path = write_plan(tmp_path, LOGIN.replace(old, new, 1))

    assert [str(mistake) for mistake in read_plan(path, all_mistakes=True).mistakes] == [expected]
    with pytest.raises(UserError):
        change_plan(path, lambda found: edit_status(found, "TASK-002", "completed"))
    assert path.read_text(encoding="utf-8") == LOGIN.replace(old, new, 1)


def test_very_many_mistakes_are_counted(tmp_path: Path) -> None:
    tasks = {f"T{number}": {"title": "x", "depends_on": ["Z"]} for number in range(60)}

    lines = read_error(write_plan(tmp_path, plan_text(tasks=tasks))).splitlines()

    assert (len(lines), lines[-1]) == (52, "  and 10 more")


def test_a_task_is_found_by_its_id(tmp_path: Path) -> None:
    found = document(tmp_path)

    assert require_task(found, "TASK-001") == "TASK-001"
    for name, hint in (
        ("task-001", "did you mean `TASK-001`?"),
        ("x", "`untildone plan show` lists them"),
    ):
        with pytest.raises(UserError) as caught:
            require_task(found, name)
        assert caught.value.hint == hint


def test_a_full_disk_leaves_the_old_plan(tmp_path: Path) -> None:
    with mount(tmp_path, options="size=64k"):
        path = write_plan(tmp_path)
        with pytest.raises(OSError, match="space"):
            save_plan(path, LOGIN + " " * 80_000)
        assert path.read_text(encoding="utf-8") == LOGIN
        assert [path.name for path in tmp_path.iterdir()] == ["TASKS.json"]
