"""Tests that may fail only because a name is missing where they run.

A test that calls the new `senior_fare` fails on the baseline's code whatever the function does.
"""

from collections.abc import Iterable, Sequence

from untildone.core.check_results import CheckResult
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.experiments.current_tests import find_changed_tests
from untildone.integrity.experiments.reported_tests import read_messages
from untildone.syntax.definitions import read_definitions
from untildone.syntax.languages import language_of_tests

_WORD = compile_late(r"\w+")
# None of their tests runs where one of them does not compile.
_COMPILED = frozenset(("go", "java", "rust"))
# What the languages say of a missing name, module or parameter.
_MISSING_NAME = compile_late(
    r"ImportError|ModuleNotFoundError|AttributeError|NameError|fixture '.*' not found"
    r"|TypeError: .*(unexpected keyword argument|positional argument|required (positional|keyword))"
    r"|is not a (function|constructor)|is not defined|Cannot find (module|name|package)"
    r"|does not provide an export|has no (exported member|attribute)|SyntaxError"
    r"|undefined: |cannot find (symbol|function|value|type|macro)"
    r"|unresolved (import|name|reference)"
    r"|no (method|function|field|variant|associated item)|NoSuchMethod|NoClassDefFound"
    r"|NoMethodError|uninitialized constant|Call to undefined|build failed|failed to (run|load)"
)

# The name that such a message is about: 'set' object has no attribute 'issupserset'
_NAMED = compile_late(
    r"(?:attribute|name|member|named|argument|undefined:|symbol|function|value|type) ['\"`]?(\w+)"
    r"|['\"`]?(\w+)['\"`]? is not (?:a function|a constructor|defined)"
)

# test_wraps.<locals>.f() takes 1 positional argument but 2 were given
_CALLED = compile_late(r"TypeError: (?:[\w<>]+\.)*([a-zA-Z]\w*)\(\) ")


def find_tests_of_new_names(
    comparison: Comparison,
    results: Iterable[CheckResult],
    tests: Sequence[str],
    *,
    by_name: bool = True,
) -> frozenset[str]:
    """Return those of the failing tests that may fail only for want of a name.

    They say so, or their file mentions a name that the baseline's product lacks: a test may ask
    whether the name exists. With `by_name` false only what they say counts.
    """
    said = read_messages(results)
    files = find_changed_tests(comparison) if by_name else ()
    mentioning = find_files_with_new_names(comparison) if by_name else ()
    return frozenset(
        test
        for test in tests
        if _lacks_name(comparison, said.get(test, ""), by_name=by_name)
        or (mentioning and _may_stand_in(test, mentioning, files))
    )


def speaks_of_missing_name(result: CheckResult) -> bool:
    """Say whether the end of the output tells that a name is missing."""
    return bool(_MISSING_NAME.search(result.output))


def _lacks_name(comparison: Comparison, message: str, *, by_name: bool) -> bool:
    """Say whether a test fails for want of a name that the change brought.

    Wrong arguments of a function that the changed product does not define are no such case, nor is
    `set.issupserset` in the baseline's own code, nor an attribute that this code reads, does not
    set, and no changed test mentions: these are faults that a test shows.
    """
    if not _MISSING_NAME.search(message):
        return False
    if called := _CALLED.search(message):
        return called[1] in comparison.fact(_list_functions)
    if not by_name:
        return True
    missing = {name for found in _NAMED.findall(message) for name in found if name}
    tested, used = comparison.fact(_list_used_words)
    if missing and missing.isdisjoint(tested) and missing <= comparison.fact(_list_old_words):
        return False
    return not missing & used or bool(missing & tested)


def _list_old_words(comparison: Comparison) -> frozenset[str]:
    """Return the words of the baseline's product."""
    old = comparison.old
    product = (path for path in old if comparison.role(path) == "product")
    return frozenset(
        word
        for path in product
        if language_of_tests(path)
        for word in _WORD.findall(old.text(path))
    )


def _list_functions(comparison: Comparison) -> frozenset[str]:
    """Return the functions that changed product files define in either tree."""
    return frozenset(
        definition.name.partition("#")[0].rpartition(".")[2]
        for path in comparison.changes.list_paths()
        if comparison.role(path) == "product" and language_of_tests(path)
        for tree in comparison.trees
        if path in tree
        for definition in tree.fact(read_definitions, path)
    )


def _list_used_words(comparison: Comparison) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of changed tests, and those of the product that the change removed."""
    tests = map(comparison.new.text, find_changed_tests(comparison))
    product = [
        path for path in comparison.changes.edited_or_removed if comparison.role(path) == "product"
    ]
    old, new = (
        {word for path in product for word in _WORD.findall(tree.text(path))}
        for tree in comparison.trees
    )
    return frozenset(word for text in tests for word in _WORD.findall(text)), frozenset(old - new)


def find_files_with_new_names(comparison: Comparison) -> tuple[str, ...]:
    """Return the changed test files that mention a name which the baseline's product lacks."""
    new_names = comparison.fact(_find_new_names)
    return tuple(
        path
        for path in find_changed_tests(comparison)
        if new_names.intersection(_WORD.findall(comparison.new.text(path)))
    )


def may_not_compile(comparison: Comparison) -> bool:
    """Say whether a changed test of a compiled language may use what the baseline lacks.

    That is a function that is new or has another signature, or a word that is new in the product
    as well as in the test, such as the name of a field.
    """
    old, new = comparison.trees
    functions, words = comparison.fact(_find_added_to_product)
    for path in find_changed_tests(comparison):
        before, now = (frozenset(_WORD.findall(tree.text(path))) for tree in (old, new))
        if language_of_tests(path) in _COMPILED and (functions & now or words & (now - before)):
            return True
    return False


def _find_added_to_product(comparison: Comparison) -> tuple[frozenset[str], frozenset[str]]:
    """Return the functions and values that are new or have another header, and the new words."""
    paths = [
        path
        for path in comparison.changes.list_paths()
        if comparison.role(path) == "product" and language_of_tests(path) in _COMPILED
    ]
    old, new = (
        {
            (each.name, " ".join(each.header.split()))
            for path in paths
            for each in tree.fact(read_definitions, path)
        }
        for tree in comparison.trees
    )
    before, now = (
        {word for path in paths for word in _WORD.findall(tree.text(path))}
        for tree in comparison.trees
    )
    names = frozenset(name.partition("#")[0].rpartition(".")[2] for name, _ in new - old)
    return names, frozenset(now - before)


def _find_new_names(comparison: Comparison) -> frozenset[str]:
    """Return the last parts of names that changed product files define and the baseline does not.

    A parameter counts as well: `senior` of `def fare(age, senior=False)`.
    """
    old, new = comparison.trees
    before: set[str] = set()
    after: set[str] = set()
    for path in comparison.changes.list_paths():
        if comparison.role(path) == "product" and language_of_tests(path):
            before.update(_WORD.findall(old.text(path)))
            for definition in new.fact(read_definitions, path) if path in new else ():
                after.update(_WORD.findall(f"{definition.name} {definition.header}"))
    return frozenset(after - before)


def _may_stand_in(test: str, paths: Sequence[str], all_paths: Sequence[str]) -> bool:
    """Say whether the test stands in one of the paths; yes if its name tells no file at all."""
    if any(_names_file(test, path) for path in paths):
        return True
    return not any(_names_file(test, path) for path in all_paths)


def _names_file(test: str, path: str) -> bool:
    stem = path.rpartition("/")[2].partition(".")[0]
    dotted = path.rpartition(".")[0].replace("/", ".")
    return path in test or dotted in test or stem in _WORD.findall(test)
