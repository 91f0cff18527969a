"""The session's unfinished items: found, recalled, kept from calls."""

import json
from pathlib import Path

import pytest

from engine.test_prompt import SESSION, World
from untildone.app import open_context
from untildone.core.evidence import Todo
from untildone.engine.context import Context
from untildone.features.todos.todo_lists import (
    format_todo_task,
    load_todos,
    parse_check_boxes,
    remember_todo_call,
)

LISTED: dict[str, object] = {
    "tool_name": "TodoWrite",
    "tool_input": {"todos": [{"content": "from a call", "status": "in_progress"}]},
}


class Person(World):
    """One whose client keeps its files in a folder of its own."""

    @property
    def here(self) -> Context:
        environ = {"CLAUDE_CODE_SESSION_ATTENDED": "1", "CLAUDE_CONFIG_DIR": str(self.client)}
        return open_context(environ, home=str(self.home))

    @property
    def client(self) -> Path:
        return self.project.parent / "client"

    def write(self, path: str, text: str) -> None:
        file = self.project.parent / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def found(self) -> tuple[Todo, ...]:
        return load_todos(self.here, self.project, self.here.session(SESSION))


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def test_all_lists_of_a_session_are_read(person: Person) -> None:
    for number, status in ((10, "pending"), (2, "completed"), (3, "deleted")):
        task = {"id": str(number), "subject": f"task {number}", "status": status}
        person.write(f"client/tasks/{SESSION}/{number}.json", json.dumps(task))
    person.write(f"client/tasks/{SESSION}/x.json", "{broken")
    old = [{"content": "an old list", "status": "pending"}]
    person.write(f"client/todos/{SESSION}-agent-{SESSION}.json", json.dumps(old))
    person.write("project/TODO.md", "\ufeff- [ ] in TODO.md\n")
    person.write("project/fix_plan.md", "- [x] in fix_plan.md\n")
    person.write("project/.ralph/fix_plan.md", "- [ ] ralph's\n")
    state = {"todos": [{"content": "in a state", "status": "pending"}]}
    person.write("project/.claude/todo_state.json", json.dumps(state))
    remember_todo_call(person.here, person.here.session(SESSION), [{"tool_name": "Bash"}, LISTED])

    assert person.found() == (
        Todo(text="task 2", done=True),
        Todo(text="task 10"),
        Todo(text="an old list"),
        Todo(text="from a call"),
        Todo(text="in TODO.md"),
        Todo(text="in fix_plan.md", done=True),
        Todo(text="ralph's"),
        Todo(text="in a state"),
    )


def test_a_link_is_not_followed(person: Person) -> None:
    person.write("secret.md", "- [ ] not ours\n")
    (person.project / "TODO.md").symlink_to(person.project.parent / "secret.md")

    assert person.found() == ()


def test_unfinished_items_are_recalled_at_a_prompt_of_the_person(person: Person) -> None:
    items = "".join(f"- [ ] item {number}\n" for number in range(7))
    person.write("project/TODO.md", f"- [x] one\n{items}")

    told = person.say("and now?")["hookSpecificOutput"]["additionalContext"]

    assert told == (
        "[untildone] 7 TODO items of 8 unfinished: item 0; item 1; item 2; item 3; item 4; and 2"
        " more. The prompt comes first; go on with these where they belong to it, and mark what is"
        " done."
    )
    assert person.say("<task-notification>\nx\n</task-notification>") is None


def test_nothing_is_recalled_where_nothing_is_left_or_a_loop_has_the_session(
    person: Person,
) -> None:
    person.write("project/TODO.md", "- [x] one\n")
    assert person.say("and now?") is None
    person.write("project/TODO.md", "- [ ] one\n")
    person.start()
    assert "TODO" not in json.dumps(person.say("and now?"))


@pytest.mark.parametrize(
    ("written", "told"), [("recall_todos = false\n", False), ("recall_todos = 7\n", True)]
)
def test_the_person_switches_it_off_and_a_mistake_there_stops_no_prompt(
    person: Person, written: str, told: bool
) -> None:
    person.write("project/TODO.md", "- [ ] one\n")
    person.write("state/config.toml", written)

    assert (person.say("and now?") is not None) is told


def test_a_task_of_the_items() -> None:
    assert format_todo_task(("a", "b")) == (
        "Finish these, and mark each as done in its list when it is:\n- [ ] a\n- [ ] b"
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
