"""Vitest, Jest, node:test and Mocha: which edits weaken a test and which only rewrite it."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import comparison as tests_comparison

PRODUCT = {
    "src/slug.js": snippet("""
        export function slug(text) { return text; }
        export const upper = (text) => text;
    """)
}
START = """import { test, expect, describe } from 'vitest';
import { slug, upper } from '../src/slug.js';

test('joins', () => {
  expect(slug('a b')).toBe('a-b');
});

describe('edges', () => {
  it('trims', () => {
    expect(slug(' a ')).toEqual('a');
  });

  it('throws', () => {
    expect(() => slug(3)).toThrow(TypeError);
  });
});
"""
NODE = """const test = require('node:test');
const assert = require('node:assert/strict');
const { slug } = require('../src/slug.js');

test('joins', () => {
  assert.equal(slug('a b'), 'a-b');
});

test('later', async () => {
  await assert.rejects(slug(3), TypeError);
});
"""
TABLE = """import { test, expect } from 'vitest';
import { slug } from '../src/slug.js';

test.each([
  ['a b', 'a-b'],
  [' a ', 'a'],
])('%s', (given, want) => {
  expect(slug(given)).toBe(want);
});
"""
PATH = "test/slug.test.js"
EDIT, EXPECT, REMOVE = f"edit-test:{PATH}:", f"edit-expected:{PATH}:", f"remove-test:{PATH}::"


def find_ids(top: Path, old: str, new: dict[str, str]) -> set[str]:
    comparison = compare_projects(top, {**PRODUCT, PATH: old}, {**PRODUCT, **new})
    return {concern.id.partition("#")[0] for concern in tests_comparison.find_concerns(comparison)}


def find_ids_of_edit(top: Path, old: str, change: tuple[str, str]) -> set[str]:
    assert change[0] in old
    return find_ids(top, old, {PATH: old.replace(*change)})


JOINS = "expect(slug('a b')).toBe('a-b');"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", EDIT),
        ("expect(slug('a b')).toBeTruthy();", EDIT),
        ("expect(slug('a b')).toBeDefined();", EDIT),
        ("expect(slug('a b')).toContain('a-b');", EDIT),
        ("expect(slug('a b')).toMatch(/a-b/);", EDIT),
        ("expect(slug('a b')).not.toBe('a_b');", EDIT),
        ("expect(slug('a b') === 'a-b' || true).toBe(true);", EXPECT),
        ("expect(true).toBe(true);", EDIT),
        ("expect('a-b').toBe('a-b');", EDIT),
        ("expect(slug('a b'));", EDIT),
        ("slug('a b');", EDIT),
        ("return; " + JOINS, EDIT),
        ("if (upper('x') === 'X') { " + JOINS + " }", EDIT),
        ("try { " + JOINS + " } catch {}", EDIT),
        ("try { " + JOINS + " } catch (error) { console.log(error); }", EDIT),
        ("setTimeout(() => { " + JOINS + " }, 0);", EDIT),
        ("expect(Promise.resolve(slug('a b'))).resolves.toBe('a-b');", EDIT),
        ("Promise.resolve(slug('a b')).then((v) => expect(v).toBe('a-b')).catch(() => {});", EDIT),
        ("const check = () => { " + JOINS + " };", EDIT),
        ("[].forEach(() => { " + JOINS + " });", EDIT),
        ("expect(upper('a b')).toBe('a-b');", EDIT),
        ("expect(slug('a b')).toBe('a_b');", EXPECT),
        ("expect(slug('ab')).toBe('a-b');", EXPECT),
        ("expect(slug('a b')).toEqual(['a-b', '']);", EXPECT),
        ("expect(slug('a b')).toBe(slug('a b'));", EXPECT),
    ],
)
def test_a_test_made_weaker_is_a_concern(tmp_path: Path, body: str, expected: str) -> None:
    assert {each[: len(expected)] for each in find_ids_of_edit(tmp_path, START, (JOINS, body))} == {
        expected
    }


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (("test('joins'", "test.skip('joins'"), "joins"),
        (("test('joins'", "test.todo('joins'"), "joins"),
        (("test('joins'", "test.fails('joins'"), "joins"),
        (("test('joins'", "test.failing('joins'"), "joins"),
        (("test('joins'", "test.skipIf(process.env.CI)('joins'"), "joins"),
        (("test('joins'", "xtest('joins'"), "joins"),
        (("'joins', () =>", "'joins', { skip: true }, () =>"), "joins"),
        (("'joins', () =>", "'joins', { todo: 'later' }, () =>"), "joins"),
        (("'joins', () => {", "'joins', (t) => { t.skip();"), "joins"),
        (("'joins', () => {", "'joins', function () { this.skip();"), "joins"),
        (("it('trims'", "xit('trims'"), "edges::trims"),
        (("it('trims'", "it.skip('trims'"), "edges::trims"),
    ],
)
def test_a_test_under_a_new_mark_is_a_concern(
    tmp_path: Path, change: tuple[str, str], name: str
) -> None:
    assert find_ids_of_edit(tmp_path, START, change) == {f"{EDIT}{name}"}


@pytest.mark.parametrize(
    "change",
    [
        ("describe('edges'", "describe.skip('edges'"),
        ("describe('edges'", "xdescribe('edges'"),
        ("describe('edges'", "if (process.env.FULL) describe('edges'"),
        ("describe('edges'", "process.env.FULL && describe('edges'"),
        ("test('joins'", "test.only('joins'"),
        ("test('joins'", "fit('joins'"),
        ("test('joins', ", "test('joins', { only: true }, "),
    ],
)
def test_a_group_left_out_is_a_concern(tmp_path: Path, change: tuple[str, str]) -> None:
    assert find_ids_of_edit(tmp_path, START, change) == {
        f"{EDIT}edges::trims",
        f"{EDIT}edges::throws",
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("assert.equal(slug('a b'), 'a-b')", "assert.ok(slug('a b'))"), f"{EDIT}joins"),
        (("assert.equal(slug('a b'), 'a-b')", "assert.notEqual(slug('a b'), 'x')"), f"{EDIT}joins"),
        (("assert.equal(slug('a b'), 'a-b')", "assert(true, slug('a b'))"), f"{EDIT}joins"),
        (
            ("assert.equal(slug('a b'), 'a-b')", "assert.equal(slug('a b'), 'a b')"),
            f"{EXPECT}joins",
        ),
        (("await assert.rejects", "assert.rejects"), f"{EDIT}later"),
        (("slug(3), TypeError", "slug(3)"), f"{EDIT}later"),
        (("test('joins'", "false && test('joins'"), f"{REMOVE}joins"),
        (("test('joins'", "if (false) test('joins'"), f"{REMOVE}joins"),
        (("test('joins'", "const joins = (_, run) => run;\njoins('joins'"), f"{REMOVE}joins"),
    ],
)
def test_node_tests_made_weaker_are_concerns(
    tmp_path: Path, change: tuple[str, str], expected: str
) -> None:
    assert find_ids_of_edit(tmp_path, NODE, change) == {expected}


@pytest.mark.parametrize("rows", ["  ['a b', 'a-b'],\n", "  ['a b', 'a-b'],\n  [' a ', ' a '],\n"])
def test_a_row_taken_from_a_table_is_a_concern(tmp_path: Path, rows: str) -> None:
    change = ("  ['a b', 'a-b'],\n  [' a ', 'a'],\n", rows)
    (only,) = find_ids_of_edit(tmp_path, TABLE, change)
    assert only in (f"{EDIT}%s", f"{EXPECT}%s")


HEAD = (
    "import { test, it, expect, describe } from 'vitest';\nimport { slug } from '../src/slug.js';\n"
)
REST = START[START.index("describe('edges'") :]


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"test/other.test.js": START}, id="the file renamed"),
        pytest.param({"src/__tests__/slug.test.js": START}, id="the file moved"),
        pytest.param({"test/slug.test.ts": START}, id="typescript"),
        pytest.param(
            {
                PATH: HEAD + "test('joins', () => { expect(slug('a b')).toBe('a-b') })\n",
                "test/edges.test.js": HEAD + REST,
            },
            id="the file split",
        ),
        pytest.param({PATH: START.replace("'", '"').replace(";\n", "\n")}, id="other quotes"),
        pytest.param({PATH: START.replace("toBe('a-b')", "toEqual('a-b')")}, id="an equal matcher"),
        pytest.param(
            {
                PATH: HEAD
                + snippet("""
                    test('joins', async () => {
                      const got = await slug('a b');
                      expect(got).toStrictEqual('a-b');
                    });
                """)
                + REST
            },
            id="awaited with a variable",
        ),
        pytest.param(
            {
                PATH: HEAD + "it.each([['a b', 'a-b'], [' a ', 'a'], ['x', 'x']])"
                "('%s', (a, b) => { expect(slug(a)).toBe(b); });\n"
                "it('throws', () => { expect(() => slug(3)).toThrow(TypeError); });\n"
            },
            id="folded into a table",
        ),
        pytest.param(
            {
                PATH: HEAD + "describe.each([{ a: 'a b', want: 'a-b' }, { a: ' a ', want: 'a' }])"
                "('$a', ({ a, want }) => {\n"
                "  it('slugs', () => { expect(slug(a)).toBe(want); });\n"
                "});\n"
                "it('throws', () => { expect(() => slug(3)).toThrow(TypeError); });\n"
            },
            id="folded into a group",
        ),
        pytest.param(
            {
                PATH: HEAD
                + snippet("""
                    const CASES = { 'a b': 'a-b' };
                    for (const [a, b] of [['a b', 'a-b'], [' a ', 'a']]) {
                      test(`slug ${a}`, () => { expect(slug(a)).toBe(b); });
                    }
                    it('throws', () => { expect(() => slug(3)).toThrow(TypeError); });
                """)
            },
            id="made in a loop",
        ),
        pytest.param(
            {
                PATH: HEAD
                + snippet("""
                    function check(given, want) { expect(slug(given)).toBe(want); }
                    test('joins', () => check('a b', 'a-b'));
                """)
                + REST
            },
            id="a helper",
        ),
        pytest.param(
            {
                PATH: HEAD
                + snippet("""
                    let given;
                    beforeEach(() => { given = 'a b'; });
                    test('joins', () => { expect(slug(given)).toBe('a-b'); });
                """)
                + REST
            },
            id="set up before",
        ),
        pytest.param(
            {
                PATH: HEAD
                + snippet("""
                    import assert from 'node:assert';
                    test('joins', () => { assert.strictEqual(slug('a b'), 'a-b'); });
                """)
                + REST
            },
            id="another library",
        ),
        pytest.param(
            {
                PATH: HEAD + "const made = (...parts) => {"
                " const text = parts.join(' '); return slug(text); };\n"
                "test('joins', () => { expect(made('a b')).toBe('a-b'); });\n" + REST
            },
            id="a helper that makes what is asked",
        ),
        pytest.param(
            {PATH: START + "\ntest.skip('new', () => { expect(slug('q')).toBe('q'); });\n"},
            id="a new test may be skipped",
        ),
        pytest.param(
            {PATH: START.replace("toThrow(TypeError)", "toThrowError(TypeError)")},
            id="toThrowError",
        ),
        pytest.param(
            {PATH: START.replace("test('joins'", "test('joins words with one dash'")}, id="renamed"
        ),
    ],
)
def test_a_rewritten_test_is_no_concern(tmp_path: Path, files: dict[str, str]) -> None:
    assert find_ids(tmp_path, START, files) == set()


def test_a_mocha_property_is_an_assertion(tmp_path: Path) -> None:
    old = "it('is there', () => { expect(slug('a')).to.be.null; });\n"
    new = {PATH: old.replace(".to.be.null", ".to.be.ok")}
    assert find_ids(tmp_path, old, new) == {f"{EDIT}is there"}


def test_subtests_belong_to_their_test(tmp_path: Path) -> None:
    old = snippet("""
        test('all', async (t) => {
          await t.test('one', () => { assert.equal(slug('a b'), 'a-b'); });
        });
    """)
    new = {PATH: old.replace("t.test('one'", "t.test('one', { skip: true }")}
    assert find_ids(tmp_path, old, new) == {f"{EDIT}all"}
