"""Every rule that is data is valid, says what it finds, and is fired by a case of the tests."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from ast_grep_py import SgRoot

from integrity.sniffing import test_comparison as sniffing_cases
from integrity.suppressions import test_comparison as suppression_cases
from integrity.suppressions.test_code_escapes import ESCAPES
from integrity.suppressions.test_comment_markers import COMMENTS
from integrity.trees import tree
from untildone.integrity.sniffing.signs import RULES as SNIFFING
from untildone.integrity.sniffing.signs import SniffingRule
from untildone.integrity.suppressions.code_escapes import RULES as SUPPRESSIONS
from untildone.integrity.suppressions.code_escapes import EscapeRule
from untildone.integrity.suppressions.comment_markers import load_markers
from untildone.syntax.comments import list_comments
from untildone.syntax.languages import language_of
from untildone.syntax.rules import Rule, RuleFile, find_matches, load_rules, read_data

KINDS: Mapping[Path, type[Rule]] = {SNIFFING: SniffingRule, SUPPRESSIONS: EscapeRule}
FILES = [
    path
    for folder in KINDS
    for path in sorted(folder.glob("*.yml"))
    if path.name not in ("words.yml", "comments.yml")
]
NAMES = [f"{path.parent.parent.name}/{path.stem}" for path in FILES]


def rows(test: Callable[..., None]) -> list[tuple[str, ...]]:
    marks = [mark for mark in test.pytestmark if "code" in mark.args[0] or "new" in mark.args[0]]  # type: ignore[attr-defined] # pytest sets it
    return [getattr(row, "values", row) for mark in marks for row in mark.args[1]]


def cases() -> Iterator[tuple[str, str]]:
    """Path and source of what the tests of sniffing and of suppressions report."""
    for code, *_ in rows(sniffing_cases.test_javascript_that_reads_the_tests_is_reported):
        yield "price.ts", code
    for path, code, *_ in rows(sniffing_cases.test_compiled_code_that_reads_the_tests_is_reported):
        yield path, sniffing_cases.START.get(path, "") + code
    for path, old, new, *_ in rows(suppression_cases.test_a_new_suppression_is_a_loss):
        yield path, old
        yield path, new
    for path, code, _ in ESCAPES:
        yield path, code


def languages(path: Path) -> list[str]:
    return list(read_data(path, RuleFile).languages)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_each_rule_has_a_name_a_description_and_is_valid_in_its_languages(path: Path) -> None:
    for language in languages(path):
        rules = load_rules(path.parent, language, KINDS[path.parent])
        names = [rule.id for rule, _ in rules]
        assert len(names) == len(set(names)) > 0
        for rule, config in rules:
            assert re.fullmatch(r"\S.*\.", rule.message), rule.id
            assert SgRoot("", language).root().find_all(config) == [], rule.id


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_each_rule_is_fired_by_a_case(tmp_path: Path, path: Path) -> None:
    unfired = {rule["id"] for rule in read_data(path, RuleFile).rules}
    for number, (name, source) in enumerate(cases()):
        if language_of(name) in languages(path):
            rules = load_rules(path.parent, language_of(name), KINDS[path.parent])
            found = find_matches(tree(tmp_path / str(number), {name: source}), name, rules)
            unfired -= {rule.id for rule, _ in found}
    assert unfired == set()


def test_each_comment_marker_has_a_description_and_is_fired_by_a_case(tmp_path: Path) -> None:
    texts = [comment for comment, *_ in COMMENTS]
    for number, (path, source) in enumerate(cases()):
        found = tree(tmp_path / str(number), {path: source}).fact(list_comments, path)
        texts += [comment.text for comment in found]
    markers = load_markers()
    assert [rule.name for rule, _ in markers if not rule.message.endswith(".")] == []
    assert [rule.name for rule, found in markers if not any(map(found.search, texts))] == []
