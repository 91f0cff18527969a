"""Finds new code that returns hard-coded answers for the inputs of the tests."""

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
from untildone.integrity.hard_coded.answer_sources import find_answer_sources, list_entries
from untildone.integrity.hard_coded.answers import Answer, find_answers, find_computing_functions
from untildone.integrity.hard_coded.derived_answers import has_same_digits, is_derived_table
from untildone.integrity.hard_coded.encoded_answers import describe_encoding
from untildone.integrity.hard_coded.literals import find_literal_pairs, normalize_literal
from untildone.integrity.hard_coded.new_literals import find_new_literals
from untildone.integrity.hard_coded.suite_literals import SuiteLiterals
from untildone.integrity.hard_coded.unit_tables import is_unit_table
from untildone.integrity.hard_coded.varied_inputs import TreeCopies, find_special_inputs
from untildone.integrity.tests.inventory import read_inventory
from untildone.integrity.tests.model import Test
from untildone.syntax.languages import language_of

_LANGUAGES = frozenset(
    (
        *("python", "javascript", "typescript", "tsx", "go", "rust", "java", "kotlin"),
        *("c", "cpp", "json"),
    )
)
# A single word may name anything; a sentence, a text with punctuation or numbers with units, as
# in 1h30m, is more likely the input of a test.
_UNITS = r"(\d+(y|w|d|h|m|s|ms|min|sec|kg|g|lb|oz|ft|in|km|cm|mm)){2,}"
_WORD = re.compile(rf"'(?!(?i:{_UNITS})')[\w.-]{{0,24}}'")
_MAX_SHOWN = 3
_MIN_ANSWERS = 2
Pairs: TypeAlias = frozenset[tuple[str, str]]
_LITERAL = re.compile(r"'|-?\d")
_MIN_DIGITS = 4
_MIN_LARGE_NUMBER = 1_000
# Common numbers of seconds, bytes, ports and years.
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
        if comparison.role(path) == "product" and _detect_language(path) in _LANGUAGES
    ]
    fresh = {path: _find_new_answers(comparison, path) for path in touched}
    new = find_new_literals(comparison, {path: _detect_language(path) for path in touched})
    tests, every = (
        SuiteLiterals(comparison),
        [each for each in chain(*fresh.values()) if _is_suspicious(each)],
    )
    singled = [each.value for each in every if _is_large(each.value)]
    beside = tests.find_files_with_answers(every, singled=singled)
    places = frozenset(path for path in beside if _detect_language(path) in _LANGUAGES)
    holding = _find_tests_holding(comparison, new)
    # Read once for all files: dozens of them may share a literal with every test.
    read = read_inventory(comparison.old, sorted(places.union(*holding.values()))).tests
    wanted = frozenset(each.value for each in every)
    claimed = _find_asserted_pairs((each for each in read if each.path in places), wanted)
    expected = _find_written_pairs(comparison, places, wanted) | claimed
    computed = _list_computing_functions(comparison, touched)
    with closing(TreeCopies(comparison)) as copies:
        for path, found in fresh.items():
            held = [each for each in read if each.path in holding[path]]
            why = (
                _prefix_path(
                    path,
                    describe_encoding(
                        comparison.new.text(path), found=found, new=new[path], tests=tests
                    ),
                )
                or _describe_copied_answers(
                    copies, path, found=found, expected=expected, computed=computed
                )
                or _describe_known_result(comparison, path, found, claimed)
                or _describe_quoted_pair(comparison, path, new[path], held)
                or _describe_special_inputs(copies, path, new, tests)
            )
            if why:
                yield make_concern(
                    ConcernKind.HARD_CODED,
                    path,
                    reason=f"suspected: {why}",
                    content=comparison.new.entries[path].digest,
                )


def _prefix_path(path: str, told: str) -> str:
    return f"`{path}` {told}" if told else ""


def _detect_language(path: str) -> str:
    return "json" if path.endswith(".json") else language_of(path)


def _find_new_answers(comparison: Comparison, path: str) -> list[Answer]:
    before = {
        (each.keys, each.value)
        for each in find_answers(comparison.old.text(path), _detect_language(path))
    }
    found = find_answers(comparison.new.text(path), _detect_language(path))
    return [
        each
        for each in found
        if (each.keys, each.value) not in before
        and (not each.is_folded or any(map(_is_specific_key, each.keys)))
    ]


def _is_specific_key(key: str) -> bool:
    """Whether a key is likely a test input: 1h30m is one, `noon` may be a general rule."""
    return not _is_trivial(key) and not _WORD.fullmatch(key)


def _find_written_pairs(
    comparison: Comparison, places: Iterable[str], wanted: frozenset[str]
) -> Pairs:
    """Return literal pairs that occur together in one assertion or row of the baseline."""
    written = (
        find_literal_pairs(comparison.old.text(path), _detect_language(path), wanted)
        for path in places
    )
    return frozenset(chain.from_iterable(chain.from_iterable(written)))


def _find_asserted_pairs(tests: Iterable[Test], wanted: frozenset[str]) -> Pairs:
    """Return pairs of input and expected value of the assertions, with variables filled in."""
    return frozenset(
        pair
        for test in tests
        for claim in test.assertions
        if (expected := wanted.intersection(map(_normalize_asserted, claim.expected)))
        for pair in product(map(_normalize_asserted, claim.actual), expected)
    )


def _list_computing_functions(comparison: Comparison, touched: Sequence[str]) -> frozenset[str]:
    """Return the functions that computed their result from the input in the baseline."""
    return frozenset(
        chain.from_iterable(
            find_computing_functions(comparison.old.text(path), _detect_language(path))
            for path in touched
        )
    )


def _describe_copied_answers(
    copies: TreeCopies,
    path: str,
    *,
    found: Sequence[Answer],
    expected: Pairs,
    computed: frozenset[str],
) -> str:
    comparison = copies.comparison
    for name, table in dict.fromkeys((each.function, each.table_line) for each in found):
        own = [each for each in found if (each.function, each.table_line) == (name, table)]
        pairs = _match_answers(own, expected)
        told = {
            pair: line for pair, line in pairs.items() if not _is_documented(comparison, path, pair)
        }
        if (
            not told
            or _are_minority(told, own)
            or is_unit_table(comparison.new.text(path), own[0].line)
        ):
            continue
        general = name in computed if name else bool(computed)
        general = general or any(each.computes for each in own)
        copied = general and is_derived_table(told, len({each.keys for each in own}))
        weak = _is_weak_evidence(list(told))
        if (
            copied
            or _is_strong_evidence(list(told), general)
            or (weak and _is_special_case(copies, path, name, told))
        ):
            return _describe_pairs(path, told)
    return ""


def _are_minority(told: dict[tuple[str, str], int], own: Sequence[Answer]) -> bool:
    """Whether fewer than half of the lines or of the entries are answers of tests."""
    lines, inputs = {each.line for each in own}, {each.keys for each in own}
    known = {key for key, _ in told}
    hit = [keys for keys in inputs if known.intersection((*keys, *map(_unquote_number, keys)))]
    return 2 * len(set(told.values())) < len(lines) or 2 * len(hit) < len(inputs)


def _match_answers(found: Sequence[Answer], expected: Pairs) -> dict[tuple[str, str], int]:
    return {
        (key, each.value): each.line
        for each in found
        for written in each.keys
        for key in {written, _unquote_number(written)}
        if (key, each.value) in expected or _is_joined_input(key, each.value, expected)
    }


def _is_joined_input(key: str, value: str, expected: Pairs) -> bool:
    """Whether a key joins several inputs of the answer, as in `1/FR`."""
    parts = [part for part in re.split(r"[^\w.]+", key.strip("'")) if part]
    return len(parts) > 1 and all(
        (_unquote_number(f"'{part}'"), value) in expected for part in parts
    )


def _unquote_number(key: str) -> str:
    """Return the number of a quoted one, as JSON writes its keys."""
    number = key.strip("'")
    return number if re.fullmatch(r"-?\d+(\.\d+)?", number) else key


def _is_documented(comparison: Comparison, path: str, pair: tuple[str, ...]) -> bool:
    """Whether one line of the task, the documents or the baseline code has all the values."""
    documents = [each for each in comparison.old if comparison.role(each) == "document"]
    texts = (comparison.task, *(comparison.old.text(each) for each in (path, *documents)))
    lines = (line for text in texts for line in text.splitlines() if "assert" not in line)
    return any(all(_occurs_in(each, line) for each in pair) for line in lines)


def _occurs_in(value: str, line: str) -> bool:
    if value.startswith("'"):
        return value.strip("'") in line
    numbers = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", line)
    return value in (f"{float(number):g}" for number in numbers)


def _is_trivial(key: str) -> bool:
    """Whether the value is so small that a special case for it is ordinary code."""
    if key.startswith("'"):
        return len(key) <= 3
    return key in ("true", "false") or _measure(key) <= 2


def _measure(number: str) -> float:
    try:
        return abs(float(number))
    except ValueError:
        # An octal or binary number, or one that is too long to convert.
        return math.inf


def _is_suspicious(answer: Answer) -> bool:
    return _is_large(answer.value) or any(
        not (_LITERAL.match(key) and _is_trivial(key)) or _rejects_one_negative(key, answer.value)
        for key in answer.keys
    )


def _rejects_one_negative(key: str, value: str) -> bool:
    """Whether one negative number raises an error: a real guard rejects all of them."""
    return key.startswith("-") and value[:1].isupper()


def _is_strong_evidence(pairs: Sequence[tuple[str, str]], general: bool) -> bool:
    telling = [key for key, _ in pairs if not _is_trivial(key)]
    inputs = [key for key in telling if not _WORD.fullmatch(key)]
    if general:
        singled = [
            key for key in inputs if key.startswith("'") or _count_digits(key) >= _MIN_DIGITS
        ]
        return bool(singled) or (bool(inputs) and len(pairs) >= 2)
    values = {value for _, value in pairs}
    return len(inputs) >= 3 and len(values) >= 3


def _count_digits(number: str) -> int:
    """Count the significant digits: two of 1800."""
    return len(number.partition("e")[0].replace(".", "").strip("-0"))


def _describe_known_result(
    comparison: Comparison, path: str, found: Sequence[Answer], claimed: Pairs
) -> str:
    """Describe a large expected number inside a function that otherwise computes."""
    wanted = {value for given, value in claimed if _LITERAL.match(given) and not _is_trivial(given)}
    for each in found:
        singled = each.computes and each.value in wanted and each.value not in each.keys
        if (
            singled
            and _is_large(each.value)
            and not _is_documented(comparison, path, (each.value,))
        ):
            told = f"{_format_value(each.value)} (line {each.line}), which a test expects"
            return f"`{path}` has a hard-coded result inside a computation: {told}"
    return ""


def _is_large(value: str) -> bool:
    return (
        _LITERAL.match(value) is not None
        and value[0] != "'"
        and value not in _WELL_KNOWN
        and (_measure(value) >= _MIN_LARGE_NUMBER and _count_digits(value) > 1)
    )


def _find_tests_holding(
    comparison: Comparison, new: Mapping[str, frozenset[str]]
) -> dict[str, set[str]]:
    """Return, for each file, the baseline tests that contain one of its new literals."""
    texts = {
        path: [each.strip("'") for each in found if _is_input(each) or _has_many_digits(each)]
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


def _describe_quoted_pair(
    comparison: Comparison, path: str, new: frozenset[str], tests: Sequence[Test]
) -> str:
    """Describe a test input and its expected value that are both new literals of the file."""
    for test in tests:
        for claim in test.assertions:
            given = [each for each in map(_normalize_asserted, claim.actual) if each in new]
            wanted = [each for each in map(_normalize_asserted, claim.expected) if each in new]
            telling = [
                each
                for each in given
                if each not in wanted
                and (_is_input(each) or any(has_same_digits(each, one) for one in wanted))
            ]
            if telling and wanted and not _is_documented(comparison, path, (telling[0], wanted[0])):
                pair = f"the input {telling[0]} of `{test.name}` and its answer {wanted[0]}"
                return f"`{path}` contains {pair}"
    return ""


def _has_many_digits(written: str) -> bool:
    return written.startswith("'") and _count_digits(re.sub(r"\D", "", written)) >= _MIN_DIGITS


def _is_input(written: str) -> bool:
    """Whether a text has spaces or punctuation, so that ordinary code does not compare with it."""
    return written.startswith("'") and not _is_trivial(written) and not _WORD.fullmatch(written)


def _normalize_asserted(written: str) -> str:
    """Convert a literal of an assertion to the form used in this package."""
    return f"'{written[1:]}'" if written.startswith('"') else normalize_literal(written) or written


def _describe_special_inputs(
    copies: TreeCopies, path: str, fresh: Mapping[str, frozenset[str]], tests: SuiteLiterals
) -> str:
    """Describe answers that the code contains and returns for the inputs of tests alone."""
    comparison = copies.comparison
    if not path.endswith(".py") or path not in comparison.old:
        return ""
    functions = _list_functions(comparison, path)
    others = find_answer_sources(comparison, path)
    read = (
        fresh[each] if each in fresh else _find_new_entries(comparison, each) for each in others
    )
    new = fresh[path].union(*read)
    texts = tests.list_texts_calling(functions, new, fewest=_MIN_ANSWERS)
    special = find_special_inputs(copies, path, functions=functions, tests=texts) if texts else {}
    told, values = [], 0
    for each, result in special.items():
        written = _list_literals_of(result)
        given = normalize_literal(repr(each.arguments[0])) or ""
        said = any(_is_documented(comparison, path, (given, one)) for one in written)
        if written and written <= new and not said:
            told.append(f"{result} for {', '.join(map(repr, each.arguments))}")
            values += max(1, sum(not _is_trivial(one) for one in written))
    if values < _MIN_ANSWERS:
        return ""
    shown = "; ".join(told[:_MAX_SHOWN])
    return f"`{path}` returns {shown}, and nothing like it for similar inputs"


def _find_new_entries(comparison: Comparison, path: str) -> frozenset[str]:
    before, after = (
        list_entries(path, tree.text(path)) for tree in (comparison.old, comparison.new)
    )
    return after - before


def _list_literals_of(result: str) -> frozenset[str]:
    """Return the literals of a result: a list of several counts like several answers."""
    try:
        nodes = list(ast.walk(ast.parse(result, mode="eval")))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    values = (
        normalize_literal(repr(node.value)) for node in nodes if isinstance(node, ast.Constant)
    )
    return frozenset(each for each in values if each is not None)


def _is_weak_evidence(pairs: Sequence[tuple[str, str]]) -> bool:
    return any(not _is_trivial(key) or _rejects_one_negative(key, value) for key, value in pairs)


def _is_special_case(
    copies: TreeCopies, path: str, name: str, told: Iterable[tuple[str, str]]
) -> bool:
    """Run the function with varied inputs; True if only inputs of tests give new results."""
    comparison = copies.comparison
    if not path.endswith(".py") or path not in comparison.old:
        return False
    tests = [
        comparison.old.text(each) for each in comparison.old if comparison.role(each) == "test"
    ]
    functions = [name] if name else _list_functions(comparison, path)
    found = find_special_inputs(copies, path, functions=functions, tests=tests)
    given = {normalize_literal(repr(one)) for each in found for one in each.arguments}
    return bool(found) and any(not _is_trivial(key) or key in given for key, _ in told)


def _list_functions(comparison: Comparison, path: str) -> list[str]:
    return re.findall(r"^def (\w+)", comparison.new.text(path), re.MULTILINE)


def _describe_pairs(path: str, told: dict[tuple[str, str], int]) -> str:
    shown = [
        f"{_format_value(value)} for {_format_value(key)} (line {line})"
        for (key, value), line in list(told.items())[:_MAX_SHOWN]
    ]
    more = f" and {len(told) - _MAX_SHOWN} more" if len(told) > _MAX_SHOWN else ""
    return f"`{path}` has hard-coded answers of the tests: {', '.join(shown)}{more}"


def _format_value(value: str) -> str:
    return f"{float(value):.0f}" if re.fullmatch(r"[\d.]+e\+\d+", value) else value
