"""Tests folded into rows of a table, in the many ways that runners have for it."""

from pathlib import Path

import pytest

from integrity.trees import beside
from untildone.integrity.testing import ratchet as tests

HEAD = "import { test, expect } from 'vitest';\nimport { add } from '../src/a.js';\n"
SINGLE = HEAD + (
    "test('adds', () => { expect(add(1, 2)).toBe(3); });\n"
    "test('adds negatives', () => { expect(add(-1, -2)).toBe(-3); });\n"
)
FOR = "test.for([[1, 2, 3], [-1, -2, -3]])('%i', ([a, b, c]) => { expect(add(a, b)).toBe(c); });\n"
TABLE = (
    "test.each`\n  a     | b     | sum\n  ${1}  | ${2}  | ${3}\n  ${-1} | ${-2} | ${-3}\n`"
    "('$a + $b', ({ a, b, sum }) => { expect(add(a, b)).toBe(sum); });\n"
)


def lost(top: Path, path: str, old: str, new: str) -> list[str]:
    found = tests.losses(beside(top, {path: old}, {path: new}))
    return [each.id.partition("#")[0] for each in found]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (HEAD + FOR, True),
        (HEAD + TABLE, True),
        (SINGLE.replace("expect(", "expect.soft("), True),
        (HEAD + FOR.replace(", [-1, -2, -3]", ""), False),
        (HEAD + FOR.replace("-3]", "3]"), False),
        (HEAD + TABLE.replace("  ${-1} | ${-2} | ${-3}\n", ""), False),
        (HEAD + TABLE.replace("${-3}", "${3}"), False),
        (HEAD + TABLE.replace("  a     | b     | sum", ""), False),
        (HEAD + TABLE.replace("test.each", "test.skip.each"), False),
        (SINGLE.replace("expect(", "expect.soft(").replace("toBe(3)", "toBeDefined()"), False),
    ],
)
def test_rows_of_javascript(tmp_path: Path, text: str, kept: bool) -> None:
    assert (lost(tmp_path, "test/a.test.js", SINGLE, text) == []) is kept


def rust(*body: str) -> str:
    return "#[cfg(test)]\nmod tests {\n    use super::*;\n" + "".join(body) + "}\n"


ONE = "    #[test]\n    fn adds() {\n        assert_eq!(add(1, 2), 3);\n    }\n"
TWO = "    #[test]\n    fn adds_negative() {\n        assert_eq!(add(-1, -2), -3);\n    }\n"
CASES = (
    "    struct Case { a: i32, b: i32, sum: i32 }\n    #[test]\n    fn adds() {\n"
    "        let cases = vec![Case { a: 1, b: 2, sum: 3 }, Case { a: -1, b: -2, sum: -3 }];\n"
    "        for case in &cases {\n            assert_eq!(add(case.a, case.b), case.sum);\n"
    "        }\n    }\n"
)
RSTEST = (
    "    #[rstest]\n    #[case(1, 2, 3)]\n    #[case(-1, -2, -3)]\n"
    "    fn adds(#[case] a: i32, #[case] b: i32, #[case] sum: i32) {\n"
    "        assert_eq!(add(a, b), sum);\n    }\n"
)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (CASES, True),
        (RSTEST, True),
        (CASES.replace(", Case { a: -1, b: -2, sum: -3 }", ""), False),
        (CASES.replace("sum: -3", "sum: 3"), False),
        (RSTEST.replace("    #[case(-1, -2, -3)]\n", ""), False),
        (RSTEST.replace("-2, -3", "-2, 3"), False),
    ],
)
def test_rows_of_rust(tmp_path: Path, text: str, kept: bool) -> None:
    assert (lost(tmp_path, "src/lib.rs", rust(ONE, TWO), rust(text)) == []) is kept
