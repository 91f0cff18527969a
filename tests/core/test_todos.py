"""Check boxes in a text, and what of a list is left."""

import pytest

from core.samples import contract
from untildone.core.criteria import apply_exit_rule
from untildone.core.evidence import Evidence, Todo
from untildone.core.progress import Progress
from untildone.core.todos import find_unfinished, find_unmet_todos, parse_check_boxes

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


def test_an_item_on_two_lists_is_named_once() -> None:
    twice = (Todo(text="a"), Todo(text="a"), Todo(text="b", done=True))

    assert find_unfinished(twice) == ("a",)


@pytest.mark.parametrize(
    ("now", "unmet"),
    [
        pytest.param(
            (Todo(text="a"), Todo(text="b", done=True)), ("todo `a`",), id="one is unfinished"
        ),
        pytest.param(
            (Todo(text="a", done=True),),
            ("todo `b` (removed from the list, not finished)",),
            id="one was taken out",
        ),
        pytest.param(
            (Todo(text="a", done=True), Todo(text="b", done=True), Todo(text="c")),
            ("todo `c`",),
            id="one came in",
        ),
        pytest.param((Todo(text="a", done=True), Todo(text="b", done=True)), (), id="all done"),
    ],
)
def test_what_is_left_of_a_list(now: tuple[Todo, ...], unmet: tuple[str, ...]) -> None:
    agreed = contract(checks=(), todos=("a", "b"), done_when="both")
    evidence = Evidence(todos=now)

    assert find_unmet_todos(agreed, evidence) == unmet
    assert apply_exit_rule(agreed, Progress(), evidence) == ("unmet" if unmet else "claimed")


def test_a_list_is_no_criterion_unless_it_was_agreed_on() -> None:
    assert find_unmet_todos(contract(), Evidence(todos=(Todo(text="a"),))) == ()
