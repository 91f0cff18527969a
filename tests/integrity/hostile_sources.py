"""Makes source files that are hard to read, in every language whose tests are read."""

import random
from collections.abc import Callable
from typing import NamedTuple

Files = dict[str, str]


class Language(NamedTuple):
    """Paths, and how things are written; `{}` stands for their content."""

    product: str
    tests: str
    function: str
    test: str
    file: str
    rows: str
    loop: str
    branch: str


_SCRIPT_TEST = "test('{name}', () => {{ {before} expect(f({given})).toBe({want}); }});\n"
_SCRIPT = (
    "export function f(x) {{ {} }}\n",
    _SCRIPT_TEST,
    "{}",
    "[{}]",
    "for (const {name} of {rows}) {{ {body} }}",
    "if (x === {0}) {{ return {1}; }}\n",
)
LANGUAGES = {
    "python": Language(
        "a.py",
        "tests/test_a.py",
        "def f(x):\n {}\n",
        "def test_{name}():\n {before}\n assert f({given}) == {want}\n",
        "{}",
        "[{}]",
        "[{body} for {name} in {rows}]",
        "if x == {0}: return {1}\n ",
    ),
    "javascript": Language("a.js", "test/a.test.js", *_SCRIPT),
    "typescript": Language("a.ts", "test/a.test.ts", *_SCRIPT),
    "tsx": Language("a.tsx", "test/a.test.tsx", *_SCRIPT),
    "go": Language(
        "a.go",
        "a_test.go",
        "package a\nfunc f(x int) int {{ {} }}\n",
        "func Test{name}(t *testing.T) {{ {before}\n if f({given}) != {want} {{ t.Error(1) }} }}\n",
        "package a\n{}",
        "[]int{{{}}}",
        "for _, {name} := range {rows} {{ {body} }}",
        "if x == {0} {{ return {1} }}\n",
    ),
    "rust": Language(
        "src/a.rs",
        "tests/a.rs",
        "pub fn f(x: i32) -> i32 {{ {} }}\n",
        "#[test]\nfn {name}() {{ {before} assert_eq!(f({given}), {want}); }}\n",
        "{}",
        "[{}]",
        "for {name} in {rows} {{ {body} }}",
        "if x == {0} {{ return {1}; }}\n",
    ),
    "java": Language(
        "src/main/java/A.java",
        "src/test/java/ATest.java",
        "class A {{ static int f(int x) {{ {} }} }}\n",
        "@Test void {name}() {{ {before} assertEquals({want}, f({given})); }}\n",
        "class ATest {{ {} }}\n",
        "new int[]{{{}}}",
        "for (int {name} : {rows}) {{ {body} }}",
        "if (x == {0}) {{ return {1}; }}\n",
    ),
}


def write_tests(language: Language, count: int, *, given: str = "{0}", before: str = "") -> str:
    tests = (
        language.test.format(
            name=f"a{n}", before=before, given=given.replace("{0}", str(n)), want=n
        )
        for n in range(count)
    )
    return language.file.format("".join(tests))


def make_many_tests(language: Language, size: int, _: random.Random) -> tuple[Files, Files]:
    tests = write_tests(language, size // 100)
    return {language.tests: tests}, {language.tests: tests.replace("77", "78")}


def make_literals(language: Language, size: int, chance: random.Random) -> tuple[Files, Files]:
    """Make ten times as many bytes as asked for: nothing else is as cheap to write."""
    numbers = chance.choice(("0, " * (size * 10 // 3), ", ".join(map(str, range(size)))))
    rows = language.rows.format(numbers)
    old = {language.tests: write_tests(language, 3), language.product: language.function.format(1)}
    return old, {
        language.tests: write_tests(language, 1, given=rows),
        language.product: language.function.format(f"return {rows}"),
    }


def make_nested_loops(language: Language, size: int, chance: random.Random) -> tuple[Files, Files]:
    rows = language.rows.format(", ".join(map(str, range(size // 2_000))))
    body = "s = pair(s, n0)" if chance.random() < 0.5 else "check(s, n1)"
    for depth in range(chance.randint(2, 8)):
        body = language.loop.format(name=f"n{depth}", rows=rows, body=body)
    files = [write_tests(language, count, given="s", before=body) for count in (2, 3)]
    return {language.tests: files[0]}, {language.tests: files[1]}


def make_deep(language: Language, size: int, chance: random.Random) -> tuple[Files, Files]:
    opening, closing = chance.choice((("(", ")"), ("g(", ")"), ("[", "]"), ("-", ""), ("x+", "")))
    deep = opening * (size // 4) + "1" + closing * (size // 4)
    old = {language.product: language.function.format("return 1")}
    return old, {
        language.product: language.function.format(f"return {deep}"),
        language.tests: write_tests(language, 1, given=deep.replace("{", "{{")),
    }


def make_branches(language: Language, size: int, _: random.Random) -> tuple[Files, Files]:
    branches = "".join(language.branch.format(n, n + 1) for n in range(size // 60))
    tests = write_tests(language, size // 200)
    product = language.function.format(f"{branches}return 0")
    return {language.tests: tests}, {language.tests: tests, language.product: product}


def make_long_lines(language: Language, size: int, chance: random.Random) -> tuple[Files, Files]:
    line = chance.choice(
        ('"' + "a" * 3 * size + '"', "x" + " + 1" * (size // 4), "x" + ".g(1)" * (size // 5))
    )
    old = {language.product: language.function.format("return 1")}
    return old, {
        language.product: language.function.format(f"return {line}"),
        language.tests: write_tests(language, 2, given=line),
    }


def make_garbage(language: Language, size: int, chance: random.Random) -> tuple[Files, Files]:
    pieces = ["{", "}", "(", ")", "[", "]", "'", '"', "`", "\n", "if ", "def ", "1", ",", "/*", "#"]
    old = dict.fromkeys((language.product, language.tests), "")
    return old, {path: "".join(chance.choices(pieces, k=size // 2)) for path in old}


SHAPES: dict[str, Callable[[Language, int, random.Random], tuple[Files, Files]]] = {
    "many tests": make_many_tests,
    "literals": make_literals,
    "nested loops": make_nested_loops,
    "deep nesting": make_deep,
    "branches": make_branches,
    "long lines": make_long_lines,
    "garbage": make_garbage,
}


def make_sources(language: str, shape: str, size: int, seed: int) -> tuple[Files, Files]:
    """Return the files of the baseline and of now, of about `size` bytes each."""
    chance = random.Random(f"{language} {shape} {seed}")  # noqa: S311  no secret
    return SHAPES[shape](LANGUAGES[language], size, chance)
