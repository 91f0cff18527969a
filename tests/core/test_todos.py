"""What of a todo list is left."""

import pytest

from core.samples import contract
from untildone.core.criteria import apply_exit_rule, find_unfinished, find_unmet_todos
from untildone.core.evidence import Evidence, Todo
from untildone.core.progress import Progress


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
