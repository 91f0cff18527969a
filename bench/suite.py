"""A suite of two thousand tests of which one file changed: what it costs to compare it."""

from pathlib import Path

from bench.table import Row, measure_medians
from untildone.integrity.comparison import compare_trees
from untildone.integrity.registry import find_concerns
from untildone.syntax.parsing import forget_parsed
from untildone.worktree.contents import Tree, read_tree, walk_files

FILES, TESTS = 40, 50
SUPPORT = "exports.check = (a, b) => { assert.deepStrictEqual(a, b); };\n"


def measure(folder: Path) -> list[Row]:
    """The figure is a multiple of comparing that one file in a project of its own."""
    whole = [write_suite(folder / name, FILES, changed) for name, changed in (("a", 0), ("b", 1))]
    alone = [write_suite(folder / name, 1, changed) for name, changed in (("c", 0), ("d", 1))]
    compare(*whole)
    one, all_ = measure_medians([lambda: compare(*alone), lambda: compare(*whole)], rounds=9)
    what = "one of 40 test files (2,000 tests) changed"
    return [Row(what, all_ / one, 4, "that file alone")]


def write_suite(root: Path, files: int, changed: int) -> Path:
    """Write files without `test` in their names, each of which could hold helpers of another."""
    for number in range(files):
        count = TESTS + (changed if number == 0 else 0)
        tests = "".join(
            f"  it('adds {n}', () => {{\n    const value = add({n}, 3);\n"
            f"    assert.deepStrictEqual(value, {n + 3});\n    check(add({n}), {n});\n  }});\n"
            for n in range(count)
        )
        head = "const { add } = require('../lib/add');\nconst { check } = require('./support');\n"
        write(root / f"test/part{number}.js", f"{head}describe('add', () => {{\n{tests}}});\n")
    write(root / "test/support.js", SUPPORT)
    write(root / "lib/add.js", f"exports.add = (a, b = 0) => a + b; // {changed}\n")
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def compare(old: Path, new: Path) -> None:
    comparison = compare_trees(read(old), read(new), ("mocha",))
    if find_concerns(comparison) or comparison.unread:
        raise ValueError("an added test is no concern")
    forget_parsed()


def read(root: Path) -> Tree:
    return read_tree(root, walk_files(root))
