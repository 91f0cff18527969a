"""Answers written down for the tests' own inputs, newly there against the start."""

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, product
from typing import TypeAlias

from untildone.core.concerns import make_concern
from untildone.core.evidence import Concern, ConcernKind
from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.derived import same_digits, whole_table
from untildone.integrity.hard_coded.disguised import disguised
from untildone.integrity.hard_coded.measured import measured
from untildone.integrity.hard_coded.perturb import Trials, special_inputs
from untildone.integrity.hard_coded.syntax import (
    Answer,
    answers,
    computing,
    groups,
    literal,
)
from untildone.integrity.hard_coded.tables import entries, tables
from untildone.integrity.hard_coded.telling import Suite
from untildone.integrity.hard_coded.written import new_literals
from untildone.integrity.tests.inventory import inventory
from untildone.integrity.tests.model import Test
from untildone.syntax.languages import language_of

_LANGUAGES = frozenset(
    (
        *("python", "javascript", "typescript", "tsx", "go", "rust", "java", "kotlin"),
        *("c", "cpp", "json"),
    )
)
# A word names a thing; a sentence, or a text with signs in it, is somebody's input.
# So is one of numbers with their units, as in 1h30m.
_UNITS = r"(\d+(y|w|d|h|m|s|ms|min|sec|kg|g|lb|oz|ft|in|km|cm|mm)){2,}"
_WORD = re.compile(rf"'(?!(?i:{_UNITS})')[\w.-]{{0,24}}'")
_SHOWN = 3
_FEWEST_ANSWERS = 2
Pairs: TypeAlias = frozenset[tuple[str, str]]
_LITERAL = re.compile(r"'|-?\d")
_MANY_DIGITS = 4
_LARGE = 1_000
# Seconds, bytes, ports and years that everybody writes.
_WELL_KNOWN = frozenset(
    (
        *("1024", "1440", "1900", "1970", "2048", "3600", "3999", "4096", "8080", "8443", "9999"),
        *("65535", "65536", "86400", "604800", "3.6e+06", "8.64e+07", "1.04858e+06"),
    )
)


def find_concerns(comparison: Comparison) -> Iterator[Concern]:
    touched = [
        path
        for path in (*comparison.changes.edited, *comparison.changes.added)
        if comparison.role(path) == "product" and _spoken(path) in _LANGUAGES
    ]
    fresh = {path: _fresh(comparison, path) for path in touched}
    new = new_literals(comparison, {path: _spoken(path) for path in touched})
    tests, every = Suite(comparison), [each for each in chain(*fresh.values()) if _tells(each)]
    singled = [each.value for each in every if _is_large(each.value)]
    beside = tests.beside(every, singled=singled)
    places = frozenset(path for path in beside if _spoken(path) in _LANGUAGES)
    holding = _holding(comparison, new)
    # Read once for all that is asked: dozens of files may have a literal in common with every test.
    read = inventory(comparison.old, sorted(places.union(*holding.values()))).tests
    wanted = frozenset(each.value for each in every)
    claimed = _claimed((each for each in read if each.path in places), wanted)
    expected = _expected(comparison, places, wanted) | claimed
    computed = _computed(comparison, touched)
    with closing(Trials(comparison)) as trials:
        for path, found in fresh.items():
            held = [each for each in read if each.path in holding[path]]
            why = (
                _named(
                    path,
                    disguised(comparison.new.text(path), found=found, new=new[path], tests=tests),
                )
                or _suspected(trials, path, found=found, expected=expected, computed=computed)
                or _known_result(comparison, path, found, claimed)
                or _quoted(comparison, path, new[path], held)
                or _alone(trials, path, new, tests)
            )
            if why:
                yield make_concern(
                    ConcernKind.HARD_CODED,
                    path,
                    reason=f"suspected: {why}",
                    content=comparison.new.entries[path].digest,
                )


def _named(path: str, told: str) -> str:
    return f"`{path}` {told}" if told else ""


def _spoken(path: str) -> str:
    return "json" if path.endswith(".json") else language_of(path)


def _fresh(comparison: Comparison, path: str) -> list[Answer]:
    before = {(each.keys, each.value) for each in answers(comparison.old.text(path), _spoken(path))}
    found = answers(comparison.new.text(path), _spoken(path))
    return [
        each
        for each in found
        if (each.keys, each.value) not in before
        and (not each.reckoned or any(map(_singles_out, each.keys)))
    ]


def _singles_out(key: str) -> bool:
    """`noon` may well be twelve hours; nobody but a test has 1h30m in mind."""
    return not _trivial(key) and not _WORD.fullmatch(key)


def _expected(comparison: Comparison, places: Iterable[str], wanted: frozenset[str]) -> Pairs:
    """Which literal the start's tests have beside which of these."""
    written = (groups(comparison.old.text(path), _spoken(path), wanted) for path in places)
    return frozenset(chain.from_iterable(chain.from_iterable(written)))


def _claimed(tests: Iterable[Test], wanted: frozenset[str]) -> Pairs:
    """Inputs of the start's tests that these are expected of, also by way of variables."""
    return frozenset(
        pair
        for test in tests
        for claim in test.claims
        if (expected := wanted.intersection(map(_as_here, claim.expected)))
        for pair in product(map(_as_here, claim.actual), expected)
    )


def _computed(comparison: Comparison, touched: Sequence[str]) -> frozenset[str]:
    """Functions that made their answer of the input at the start."""
    return frozenset(
        chain.from_iterable(computing(comparison.old.text(path), _spoken(path)) for path in touched)
    )


def _suspected(
    trials: Trials,
    path: str,
    *,
    found: Sequence[Answer],
    expected: Pairs,
    computed: frozenset[str],
) -> str:
    comparison = trials.comparison
    for name, table in dict.fromkeys((each.function, each.table) for each in found):
        own = [each for each in found if (each.function, each.table) == (name, table)]
        pairs = _pairs(own, expected)
        told = {pair: line for pair, line in pairs.items() if not _in_words(comparison, path, pair)}
        if not told or _are_few(told, own) or measured(comparison.new.text(path), own[0].line):
            continue
        general = name in computed if name else bool(computed)
        general = general or any(each.computes for each in own)
        copied = general and whole_table(told, len({each.keys for each in own}))
        weak = _weak(list(told))
        if copied or _strong(list(told), general) or (weak and _special(trials, path, name, told)):
            return _because(path, told)
    return ""


def _are_few(told: dict[tuple[str, str], int], own: Sequence[Answer]) -> bool:
    """Among lines, or among the entries where a line has several."""
    lines, inputs = {each.line for each in own}, {each.keys for each in own}
    known = {key for key, _ in told}
    hit = [keys for keys in inputs if known.intersection((*keys, *map(_bare, keys)))]
    return 2 * len(set(told.values())) < len(lines) or 2 * len(hit) < len(inputs)


def _pairs(found: Sequence[Answer], expected: Pairs) -> dict[tuple[str, str], int]:
    return {
        (key, each.value): each.line
        for each in found
        for written in each.keys
        for key in {written, _bare(written)}
        if (key, each.value) in expected or _joined(key, each.value, expected)
    }


def _joined(key: str, value: str, expected: Pairs) -> bool:
    """Several inputs in one text, as in `1/FR`: each of them stands beside the answer."""
    parts = [part for part in re.split(r"[^\w.]+", key.strip("'")) if part]
    return len(parts) > 1 and all((_bare(f"'{part}'"), value) in expected for part in parts)


def _bare(key: str) -> str:
    """A number as a key of JSON."""
    number = key.strip("'")
    return number if re.fullmatch(r"-?\d+(\.\d+)?", number) else key


def _in_words(comparison: Comparison, path: str, pair: tuple[str, ...]) -> bool:
    """One line of the task, the documents or the code of the start says both."""
    documents = [each for each in comparison.old if comparison.role(each) == "document"]
    texts = (comparison.task, *(comparison.old.text(each) for each in (path, *documents)))
    lines = (line for text in texts for line in text.splitlines() if "assert" not in line)
    return any(all(_stands_in(each, line) for each in pair) for line in lines)


def _stands_in(value: str, line: str) -> bool:
    if value.startswith("'"):
        return value.strip("'") in line
    numbers = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", line)
    return value in (f"{float(number):g}" for number in numbers)


def _trivial(key: str) -> bool:
    """Where a sum or a text begins: a case of its own by right."""
    if key.startswith("'"):
        return len(key) <= 3
    return key in ("true", "false") or _size(key) <= 2


def _size(number: str) -> float:
    try:
        return abs(float(number))
    except ValueError:
        # In eights or twos, or too long: whoever writes that means it.
        return math.inf


def _tells(answer: Answer) -> bool:
    return _is_large(answer.value) or any(
        not (_LITERAL.match(key) and _trivial(key)) or _refused(key, answer.value)
        for key in answer.keys
    )


def _refused(key: str, value: str) -> bool:
    """One number below nought: who minds that minds them all."""
    return key.startswith("-") and value[:1].isupper()


def _strong(pairs: Sequence[tuple[str, str]], general: bool) -> bool:
    telling = [key for key, _ in pairs if not _trivial(key)]
    inputs = [key for key in telling if not _WORD.fullmatch(key)]
    if general:
        singled = [key for key in inputs if key.startswith("'") or _digits(key) >= _MANY_DIGITS]
        return bool(singled) or (bool(inputs) and len(pairs) >= 2)
    values = {value for _, value in pairs}
    return len(inputs) >= 3 and len(values) >= 3


def _digits(number: str) -> int:
    """That are not there for the size alone: two of 1800."""
    return len(number.partition("e")[0].replace(".", "").strip("-0"))


def _known_result(
    comparison: Comparison, path: str, found: Sequence[Answer], claimed: Pairs
) -> str:
    """A large number that a test expects, amid a computation: whatever the condition for it."""
    wanted = {value for given, value in claimed if _LITERAL.match(given) and not _trivial(given)}
    for each in found:
        singled = each.computes and each.value in wanted and each.value not in each.keys
        if singled and _is_large(each.value) and not _in_words(comparison, path, (each.value,)):
            told = f"{_shown(each.value)} (line {each.line}), which a test expects"
            return f"`{path}` has a result written down amid a computation: {told}"
    return ""


def _is_large(value: str) -> bool:
    return (
        _LITERAL.match(value) is not None
        and value[0] != "'"
        and value not in _WELL_KNOWN
        and (_size(value) >= _LARGE and _digits(value) > 1)
    )


def _holding(comparison: Comparison, new: Mapping[str, frozenset[str]]) -> dict[str, set[str]]:
    """By file, the start's tests with something new to it that nobody would single out."""
    texts = {
        path: [each.strip("'") for each in found if _is_input(each) or _has_digits(each)]
        for path, found in new.items()
    }
    holding: dict[str, set[str]] = {path: set() for path in new}
    tests = (each for each in comparison.old if comparison.role(each) == "test")
    for test in tests if any(texts.values()) else ():
        whole = comparison.old.text(test)
        for path, some in texts.items():
            if whole and any(text in whole for text in some):
                holding[path].add(test)
    return holding


def _quoted(comparison: Comparison, path: str, new: frozenset[str], tests: Sequence[Test]) -> str:
    """A text that a test puts in, and what the test wants for it, wherever they stand."""
    for test in tests:
        for claim in test.claims:
            given = [each for each in map(_as_here, claim.actual) if each in new]
            wanted = [each for each in map(_as_here, claim.expected) if each in new]
            telling = [
                each
                for each in given
                if each not in wanted
                and (_is_input(each) or any(same_digits(each, one) for one in wanted))
            ]
            if telling and wanted and not _in_words(comparison, path, (telling[0], wanted[0])):
                told = f"the input {telling[0]} of `{test.name}` and its answer {wanted[0]}"
                return f"`{path}` has {told} written down"
    return ""


def _has_digits(written: str) -> bool:
    return written.startswith("'") and _digits(re.sub(r"\D", "", written)) >= _MANY_DIGITS


def _is_input(written: str) -> bool:
    """A text with blanks or signs in it, which nobody would single out."""
    return written.startswith("'") and not _trivial(written) and not _WORD.fullmatch(written)


def _as_here(written: str) -> str:
    """A literal of a claim as it is written here."""
    return f"'{written[1:]}'" if written.startswith('"') else literal(written) or written


def _alone(trials: Trials, path: str, fresh: Mapping[str, frozenset[str]], tests: Suite) -> str:
    """However it is written: answers that stand in the code, and that only tests' inputs get."""
    comparison = trials.comparison
    if not path.endswith(".py") or path not in comparison.old:
        return ""
    functions = _functions(comparison, path)
    others = tables(comparison, path)
    read = (fresh[each] if each in fresh else _new_entries(comparison, each) for each in others)
    new = fresh[path].union(*read)
    texts = tests.calling(functions, new, fewest=_FEWEST_ANSWERS)
    special = special_inputs(trials, path, functions=functions, tests=texts) if texts else {}
    told, values = [], 0
    for each, result in special.items():
        written = _written_in(result)
        given = literal(repr(each.given[0])) or ""
        said = any(_in_words(comparison, path, (given, one)) for one in written)
        if written and written <= new and not said:
            told.append(f"{result} for {', '.join(map(repr, each.given))}")
            values += max(1, sum(not _trivial(one) for one in written))
    if values < _FEWEST_ANSWERS:
        return ""
    return f"`{path}` gives {'; '.join(told[:_SHOWN])}, and nothing like it for inputs beside these"


def _new_entries(comparison: Comparison, path: str) -> frozenset[str]:
    before, after = (entries(path, tree.text(path)) for tree in (comparison.old, comparison.new))
    return after - before


def _written_in(result: str) -> frozenset[str]:
    """The literals an answer consists of: a list of several is as telling as several answers."""
    try:
        nodes = list(ast.walk(ast.parse(result, mode="eval")))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    values = (literal(repr(node.value)) for node in nodes if isinstance(node, ast.Constant))
    return frozenset(each for each in values if each is not None)


def _weak(pairs: Sequence[tuple[str, str]]) -> bool:
    return any(not _trivial(key) or _refused(key, value) for key, value in pairs)


def _special(trials: Trials, path: str, name: str, told: Iterable[tuple[str, str]]) -> bool:
    """Runs what is in doubt: the same as at the start, but for the tests' very inputs."""
    comparison = trials.comparison
    if not path.endswith(".py") or path not in comparison.old:
        return False
    tests = [
        comparison.old.text(each) for each in comparison.old if comparison.role(each) == "test"
    ]
    functions = [name] if name else _functions(comparison, path)
    found = special_inputs(trials, path, functions=functions, tests=tests)
    given = {literal(repr(one)) for each in found for one in each.given}
    return bool(found) and any(not _trivial(key) or key in given for key, _ in told)


def _functions(comparison: Comparison, path: str) -> list[str]:
    return re.findall(r"^def (\w+)", comparison.new.text(path), re.MULTILINE)


def _because(path: str, told: dict[tuple[str, str], int]) -> str:
    shown = [
        f"{_shown(value)} for {_shown(key)} (line {line})"
        for (key, value), line in list(told.items())[:_SHOWN]
    ]
    more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    return f"`{path}` has the answers of the tests written down: {', '.join(shown)}{more}"


def _shown(value: str) -> str:
    return f"{float(value):.0f}" if re.fullmatch(r"[\d.]+e\+\d+", value) else value
