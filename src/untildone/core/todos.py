"""The items of todo lists that a loop leaves unfinished."""

from untildone.core.contract import Contract
from untildone.core.evidence import Evidence, Todo

_PREFIX = "todo"


def find_unfinished(todos: tuple[Todo, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.text for each in todos if not each.done))


def find_unmet_todos(contract: Contract, evidence: Evidence) -> tuple[str, ...]:
    """Items that are unfinished, and items of the contract that are gone from the list."""
    if not contract.todos:
        return ()
    known = {each.text for each in evidence.todos}
    gone = tuple(text for text in contract.todos if text not in known)
    return tuple(f"{_PREFIX} `{text}`" for text in find_unfinished(evidence.todos)) + tuple(
        f"{_PREFIX} `{text}` (removed from the list, not finished)" for text in gone
    )
