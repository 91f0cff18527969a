"""The current product with functions that return nothing: the files of a sandbox.

A new test of code that did not change can fail on no earlier version of it. It shows that it checks
something by failing once the functions that it names return nothing.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.current_tests import keep_needed_tests
from untildone.integrity.experiments.previous_behaviour import list_product_definitions
from untildone.sandbox.sandbox_source import SandboxFiles
from untildone.syntax.definitions import Definition
from untildone.syntax.empty_returns import empty_function
from untildone.syntax.go_imports import blank_unused_imports
from untildone.syntax.languages import language_of_tests

_WORD = compile_late(r"\w+")


def find_named_functions(comparison: Comparison, tests: Iterable[str]) -> frozenset[str]:
    """Return the functions of the product that the test files name."""
    named = {word for path in tests for word in _WORD.findall(comparison.new.text(path))}
    defined = {
        _get_last_name(definition)
        for path in _list_product(comparison)
        if named.intersection(_WORD.findall(comparison.new.text(path)))
        for definition in list_product_definitions(comparison.new, path)
        if definition.is_function
    }
    return frozenset(named & defined)


def compose_empty_functions(comparison: Comparison, names: frozenset[str]) -> SandboxFiles:
    """Return the current tree in which the functions of these names return nothing."""
    new = comparison.new
    files: dict[str, Path | str] = {path: new.root / path for path in new}
    for path in _list_product(comparison):
        text, language = new.text(path), language_of_tests(path)
        emptied = text
        for definition in reversed(list(list_product_definitions(new, path))):
            is_named = definition.is_function and _get_last_name(definition) in names
            body = empty_function(definition, language) if is_named else None
            if body is not None:
                emptied = emptied[: definition.start] + body + emptied[definition.end :]
        if emptied != text and language == "go":
            emptied = blank_unused_imports(emptied, original=text)
        if emptied != text:
            files[path] = emptied
    return keep_needed_tests(comparison, files)


def _list_product(comparison: Comparison) -> Iterator[str]:
    return (
        path
        for path in comparison.new
        if comparison.role(path) == "product" and language_of_tests(path)
    )


def _get_last_name(definition: Definition) -> str:
    """Return `total` of `Cart.total#2`."""
    return definition.name.partition("#")[0].rpartition(".")[2]
