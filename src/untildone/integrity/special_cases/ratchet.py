"""Answers written down for the tests' own inputs, newly there against the start."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from untildone.integrity.ratchet import Compared
from untildone.integrity.special_cases.perturb import special_inputs
from untildone.integrity.special_cases.syntax import Answer, answers, computing, groups
from untildone.integrity.suppressions.syntax import language
from untildone.loop.losses import loss
from untildone.loop.model import Loss

_LANGUAGES = frozenset(
    (
        "python",
        "javascript",
        "typescript",
        "tsx",
        "go",
        "rust",
        "java",
        "kotlin",
        "c",
        "cpp",
        "json",
    )
)
# A word names a thing; a sentence, or a text with signs in it, is somebody's input.
_WORD = re.compile(r"'[\w.-]{0,24}'")
_DIGEST = re.compile(r"'([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})'")
_HASHES = re.compile(r"(?i)md5|sha_?\d|createHash|hexdigest|Sum256|hasher")
_SHOWN = 3


def losses(both: Compared) -> Iterator[Loss]:
    touched = [
        path
        for path in (*both.changes.edited, *both.changes.added)
        if both.role(path) == "product" and _spoken(path) in _LANGUAGES
    ]
    fresh = {path: found for path in touched if (found := _fresh(both, path))}
    if not fresh:
        return
    expected = _expected(both)
    computed = _computed(both, touched)
    for path, found in fresh.items():
        why = _hashed(both, path, found) or _suspected(
            both, path, found=found, expected=expected, computed=computed
        )
        if why:
            yield loss(
                "hard-coded",
                path,
                because=f"suspected: {why}",
                content=both.new.entries[path].digest,
            )


def _spoken(path: str) -> str:
    return "json" if path.endswith(".json") else language(path)


def _fresh(both: Compared, path: str) -> list[Answer]:
    before = {(each.keys, each.value) for each in answers(both.old.text(path), _spoken(path))}
    found = answers(both.new.text(path), _spoken(path))
    return [each for each in found if (each.keys, each.value) not in before]


def _expected(both: Compared) -> frozenset[tuple[str, str]]:
    """Which literal the start's tests have beside which; Rust keeps tests in the code."""
    places = [
        path
        for path in both.old
        if (both.role(path) == "test" or path.endswith(".rs")) and _spoken(path) in _LANGUAGES
    ]
    return frozenset(
        chain.from_iterable(
            pairs for path in places for pairs in groups(both.old.text(path), _spoken(path))
        )
    )


def _computed(both: Compared, touched: Sequence[str]) -> frozenset[str]:
    """Functions that made their answer of the input at the start."""
    return frozenset(
        chain.from_iterable(computing(both.old.text(path), _spoken(path)) for path in touched)
    )


def _hashed(both: Compared, path: str, found: Sequence[Answer]) -> str:
    keyed = [each for each in found if any(_DIGEST.fullmatch(key) for key in each.keys)]
    if not keyed or not _HASHES.search(both.new.text(path)):
        return ""
    return f"`{path}` looks an input up by its hash (line {keyed[0].line})"


def _suspected(
    both: Compared,
    path: str,
    *,
    found: Sequence[Answer],
    expected: frozenset[tuple[str, str]],
    computed: frozenset[str],
) -> str:
    for name in dict.fromkeys(each.function for each in found):
        own = [each for each in found if each.function == name]
        pairs = _pairs(own, expected)
        told = {pair: line for pair, line in pairs.items() if not _in_words(both, path, pair)}
        if not told or 2 * len(set(told.values())) < len({each.line for each in own}):
            continue
        general = name in computed if name else bool(computed)
        general = general or any(each.computes for each in own)
        if _strong(list(told), general) or (_weak(list(told)) and _varied(both, path, name)):
            return _because(path, told)
    return ""


def _pairs(
    found: Sequence[Answer], expected: frozenset[tuple[str, str]]
) -> dict[tuple[str, str], int]:
    return {
        (key, each.value): each.line
        for each in found
        for written in each.keys
        for key in {written, _bare(written)}
        if (key, each.value) in expected
    }


def _bare(key: str) -> str:
    """A number as a key of JSON."""
    number = key.strip("'")
    return number if re.fullmatch(r"-?\d+(\.\d+)?", number) else key


def _in_words(both: Compared, path: str, pair: tuple[str, str]) -> bool:
    """One line of the task, the documents or the code of the start says both."""
    documents = [each for each in both.old if both.role(each) == "document"]
    texts = (both.task, *(both.old.text(each) for each in (path, *documents)))
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
    return key in ("true", "false") or abs(float(key)) <= 2


def _strong(pairs: Sequence[tuple[str, str]], general: bool) -> bool:
    telling = [key for key, _ in pairs if not _trivial(key)]
    inputs = [key for key in telling if not _WORD.fullmatch(key)]
    if general:
        texts = [key for key in inputs if key.startswith("'")]
        return bool(texts) or (bool(inputs) and len(pairs) >= 2)
    values = {value for _, value in pairs}
    return len(inputs) >= 3 and len(values) >= 3


def _weak(pairs: Sequence[tuple[str, str]]) -> bool:
    return any(not _trivial(key) for key, _ in pairs)


def _varied(both: Compared, path: str, name: str) -> bool:
    """Runs what is in doubt: the same as at the start, but for the tests' very inputs."""
    if not path.endswith(".py") or path not in both.old:
        return False
    tests = [both.old.text(each) for each in both.old if both.role(each) == "test"]
    return special_inputs(both.old, both.new, path, function=name, tests=tests)


def _because(path: str, told: dict[tuple[str, str], int]) -> str:
    shown = [
        f"{value} for {key} (line {line})" for (key, value), line in list(told.items())[:_SHOWN]
    ]
    more = f" and {len(told) - _SHOWN} more" if len(told) > _SHOWN else ""
    return f"`{path}` has the answers of the tests written down: {', '.join(shown)}{more}"
