"""The session's unfinished items: found, recalled, kept from calls."""

import json

import pytest

from snippets import snippet
from untildone.core.evidence import Todo
from untildone.features.todos.todo_lists import (
    format_todo_task,
    load_todos,
    parse_check_boxes,
    remember_todo_call,
)
from world import ATTENDED, SESSION, World

LISTED: dict[str, object] = {
    "tool_name": "TodoWrite",
    "tool_input": {"todos": [{"content": "from a call", "status": "in_progress"}]},
}


@pytest.fixture
def world(world: World) -> World:
    """A user whose client keeps its files in a folder of its own."""
    world.environ = {ATTENDED: "1", "CLAUDE_CONFIG_DIR": str(world.folder / "client")}
    return world


def find_todos(world: World) -> tuple[Todo, ...]:
    return load_todos(world.context, world.project, world.session)


def test_all_lists_of_a_session_are_read(world: World) -> None:
    for number, status in ((10, "pending"), (2, "completed"), (3, "deleted")):
        task = {"id": str(number), "subject": f"task {number}", "status": status}
        world.write(f"../client/tasks/{SESSION}/{number}.json", json.dumps(task))
    world.write(f"../client/tasks/{SESSION}/x.json", "{broken")
    old = [{"content": "an old list", "status": "pending"}]
    world.write(f"../client/todos/{SESSION}-agent-{SESSION}.json", json.dumps(old))
    world.write("TODO.md", "\ufeff- [ ] in TODO.md\n")
    world.write("fix_plan.md", "- [x] in fix_plan.md\n")
    world.write(".ralph/fix_plan.md", "- [ ] ralph's\n")
    state = {"todos": [{"content": "in a state", "status": "pending"}]}
    world.write(".claude/todo_state.json", json.dumps(state))
    remember_todo_call(world.context, world.session, [{"tool_name": "Bash"}, LISTED])

    assert find_todos(world) == (
        Todo(text="task 2", done=True),
        Todo(text="task 10"),
        Todo(text="an old list"),
        Todo(text="from a call"),
        Todo(text="in TODO.md"),
        Todo(text="in fix_plan.md", done=True),
        Todo(text="ralph's"),
        Todo(text="in a state"),
    )


def test_a_link_is_not_followed(world: World) -> None:
    world.write("../secret.md", "- [ ] not ours\n")
    (world.project / "TODO.md").symlink_to(world.folder / "secret.md")

    assert find_todos(world) == ()


def test_unfinished_items_are_recalled_at_a_prompt_of_the_user(world: World) -> None:
    items = "".join(f"- [ ] item {number}\n" for number in range(7))
    world.write("TODO.md", f"- [x] one\n{items}")

    reported = world.prompt("and now?")["hookSpecificOutput"]["additionalContext"]

    assert reported == (
        "[untildone] 7 TODO items of 8 unfinished: item 0; item 1; item 2; item 3; item 4; and 2"
        " more. The prompt comes first; go on with these where they belong to it, and mark what is"
        " done."
    )
    assert (
        world.prompt(
            snippet("""
                <task-notification>
                x
                </task-notification>""")
        )
        is None
    )


def test_nothing_is_recalled_where_nothing_is_left_or_a_loop_has_the_session(
    world: World,
) -> None:
    world.write("TODO.md", "- [x] one\n")
    assert world.prompt("and now?") is None
    world.write("TODO.md", "- [ ] one\n")
    world.start()
    assert "TODO" not in json.dumps(world.prompt("and now?"))


@pytest.mark.parametrize(
    ("written", "reported"), [("recall_todos = false\n", False), ("recall_todos = 7\n", True)]
)
def test_the_user_switches_it_off_and_a_mistake_there_stops_no_prompt(
    world: World, written: str, reported: bool
) -> None:
    world.write("TODO.md", "- [ ] one\n")
    world.write("../state/config.toml", written)

    assert (world.prompt("and now?") is not None) is reported


def test_a_task_of_the_items() -> None:
    assert format_todo_task(("a", "b")) == (
        snippet("""
            Finish these, and mark each as done in its list when it is:
            - [ ] a
            - [ ] b""")
    )


LIST = """\
# Plan
- [ ] write the parser
- [x] test it
* [X] lint   it
1. [ ] number one
   - [ ] nested
  2) [/] begun
+ [~] half done
- [ ]
- [2026-01-01] a date
- [NOTE] a note
- [v1.0] a version
- [#12] an issue
- [x](link.md) a link
- [ ]not a box

```
- [ ] in code
~~~
- [ ] still in code
```
~~~~
- [ ] in a longer fence
~~~
- [ ] still there
~~~~

## Future work
- [ ] some day
### Soon
- [ ] below it
## Now
- [ ] asked for
### Optional: more
- [ ] not needed
## **Backlog**
- [ ] put off
# Last
- [ ] the last
"""


def test_check_boxes_are_what_is_asked_for_now() -> None:
    assert parse_check_boxes(LIST) == (
        Todo(text="write the parser"),
        Todo(text="test it", done=True),
        Todo(text="lint it", done=True),
        Todo(text="number one"),
        Todo(text="nested"),
        Todo(text="begun"),
        Todo(text="half done"),
        Todo(text="asked for"),
        Todo(text="the last"),
    )


def test_a_hostile_list_is_cut() -> None:
    found = parse_check_boxes("- [ ] " + "x" * 100_000 + "\n- [ ] y" * 5_000)

    assert (len(found), len(found[0].text)) == (1_000, 200)
