"""Suppressions counted by syntax: more than in the baseline is a concern, moved or fewer is not."""

import time
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.core.evidence import Concern
from untildone.integrity.suppressions import comparison as suppressions
from untildone.integrity.suppressions.comment_markers import read_markers

CALC = "def parse(value: str) -> int:\n    return value\n"
USER = (
    "export interface User { age?: number }\nexport const next = (u: User): number => u.age + 1;\n"
)


def find_ids(top: Path, old: dict[str, str], new: dict[str, str]) -> list[str]:
    return [
        concern.id.partition("#")[0]
        for concern in suppressions.find_concerns(compare_projects(top, old, new))
    ]


@pytest.mark.parametrize(
    ("path", "old", "new", "rules"),
    [
        ("a.py", "import os\n", "import os  # noqa: F401\n", ["F401"]),
        ("a.py", "import os\n", "import os  # noqa: F401, E402 because\n", ["F401", "E402"]),
        ("a.py", "import os\n", "import os  #noqa\n", ["noqa"]),
        ("a.py", "import os\n", "# ruff: noqa\nimport os\n", ["noqa"]),
        ("a.py", "import os\n", "# flake8: noqa: F401\nimport os\n", ["F401"]),
        ("a.py", "import os  # noqa: F401\n", "# ruff: noqa: F401\nimport os\n", ["F401"]),
        ("a.py", "import os  # noqa: F401\n", "import os  # noqa\n", ["noqa"]),
        ("a.py", CALC, CALC.replace("value\n", "value  # type: ignore\n"), ["type: ignore"]),
        ("a.py", CALC, CALC.replace("value\n", "value  # type: ignore[a, b]\n"), ["a", "b"]),
        ("a.py", "b()  # noqa\nc()\n", "b()  # noqa: E1\nb()  # noqa: E1\n", ["E1"]),
        ("a.py", CALC, CALC.replace("value\n", "value  # pyright: ignore[x]\n"), ["x"]),
        ("a.py", CALC, "# pyright: basic\n" + CALC, ["pyright"]),
        ("a.py", CALC, "# mypy: ignore-errors\n" + CALC, ["mypy: ignore-errors"]),
        ("a.py", CALC, '# mypy: disable-error-code="return-value"\n' + CALC, ["return-value"]),
        ("a.py", CALC, "# mypy: allow-untyped-defs\n" + CALC, ["allow-untyped-defs"]),
        (
            "a.py",
            CALC,
            CALC.replace("value\n", "value  # pragma: no cover\n"),
            ["pragma: no cover"],
        ),
        ("a.py", "x = eval(y)\n", "x = eval(y)  # nosec B307\n", ["B307"]),
        (
            "a.py",
            "x = y\n",
            "x = y  # pylint: disable=undefined-variable\n",
            ["undefined-variable"],
        ),
        ("a.py", "x = [1,\n2]\n", "# fmt: off\nx = [1,\n2]\n", ["fmt: off"]),
        ("a.py", CALC, CALC.replace("return value", "return cast(int, value)"), ["cast"]),
        ("a.py", CALC, CALC.replace("return value", "return typing.cast(int, value)"), ["cast"]),
        ("a.py", CALC, CALC + "x: Any = None\n", ["Any"]),
        ("a.py", CALC, "@typing.no_type_check\n" + CALC, ["no_type_check"]),
        ("a.py", CALC, "if not TYPE_CHECKING:\n    x = 1\n" + CALC, ["not TYPE_CHECKING"]),
        ("a.py", CALC, CALC.replace("-> int", "-> Any"), ["Any"]),
        ("a.py", CALC, CALC.replace("-> int", ""), ["untyped"]),
        ("a.py", "# mypy: strict\nx = 1\n", "x = 1\n", ["mypy: strict"]),
        ("a.ts", USER, "// @ts-nocheck\n" + USER, ["ts-nocheck"]),
        ("a.ts", USER, "// @ts-expect-error later\n" + USER, ["ts-expect-error"]),
        ("a.ts", USER, USER.replace("u.age", "(u as any).age"), ["as any"]),
        ("a.ts", USER, USER.replace("u.age", "(<any>u).age"), ["as any"]),
        ("a.ts", USER, USER.replace("u.age", "(u as unknown as X).age"), ["as unknown"]),
        ("a.tsx", USER, USER.replace("u.age", "u.age!"), ["non-null !"]),
        ("a.ts", USER, USER.replace(" }", "; [key: string]: any }"), ["index signature"]),
        ("a.ts", USER, USER.replace("u: User", "u: any"), ["any"]),
        ("a.ts", "class A { x: X }\n", "class A { x!: X }\n", ["definite !"]),
        ("a.ts", USER, "declare module 'left';\n" + USER, ["declare module"]),
        ("a.js", "// @ts-check\nlet a = 1\n", "let a = 1\n", ["ts-check"]),
        ("a.js", "var a\n", "/* eslint-disable */\nvar a\n", ["eslint-disable"]),
        ("a.js", "var a\n", "var a // eslint-disable-line no-var, a/b -- why\n", ["no-var", "a/b"]),
        ("a.js", "var a\n", "/* oxlint-disable no-var */\nvar a\n", ["no-var"]),
        ("a.js", "b()\n", "/* global b */\nb()\n", ["global"]),
        ("a.js", "b()\n", "/* eslint-env jest */\nb()\n", ["eslint-env"]),
        ("a.js", "b()\n", '/* eslint no-undef: "off" */\nb()\n', ["no-undef"]),
        ("a.js", "b()\n", "// biome-ignore lint/style/x: why\nb()\n", ["lint/style/x"]),
        ("a.js", "b()\n", "/* istanbul ignore next */\nb()\n", ["coverage ignore"]),
        (
            "a.js",
            "b()\n",
            snippet("""
                /* c8 ignore start */
                b()
                /* c8 ignore stop */
            """),
            ["coverage ignore"],
        ),
        ("a.js", "b( )\n", "// prettier-ignore\nb( )\n", ["prettier-ignore"]),
        ("a.go", "package a\n", "package a\n\nvar x = 1 //nolint:errcheck // why\n", ["errcheck"]),
        (
            "a.go",
            "package a\n",
            snippet("""
                package a

                //lint:ignore U1000 why
                func f() {}
            """),
            ["U1000"],
        ),
        ("a.go", "package a\nfunc f(x int) {}\n", "package a\nfunc f(x int) { _ = x }\n", ["_ ="]),
        ("a.rs", "fn a() {}\n", "#[allow(dead_code)]\nfn a() {}\n", ["dead_code"]),
        (
            "a.rs",
            "fn a() {}\n",
            "#![allow(clippy::all, unused)]\nfn a() {}\n",
            ["clippy::all", "unused"],
        ),
        ("a.rs", "fn a() {}\n", "#[cfg_attr(not(x), allow(unused))]\nfn a() {}\n", ["unused"]),
        ("a.rs", "fn a() {}\n", '#[expect(dead_code, reason = "x")]\nfn a() {}\n', ["dead_code"]),
        ("a.rs", "fn a( ) {}\n", "#[rustfmt::skip]\nfn a( ) {}\n", ["rustfmt::skip"]),
        ("a.rs", "#![deny(warnings)]\nfn a() {}\n", "fn a() {}\n", ["deny(warnings)"]),
        ("a.rs", "fn a() { let b = c(); }\n", "fn a() { let b = c(); let _ = b; }\n", ["let _"]),
        ("A.java", "class A {}\n", '@SuppressWarnings("unchecked")\nclass A {}\n', ["unchecked"]),
        ("A.java", "class A {}\n", "class A {} // NOSONAR\n", ["NOSONAR"]),
        ("A.kt", "fun a() {}\n", '@Suppress("UNUSED")\nfun a() {}\n', ["UNUSED"]),
        ("a.c", "int a;\n", '#pragma GCC diagnostic ignored "-Wunused"\nint a;\n', ["Wunused"]),
        ("a.cpp", "int a;\n", "int a; // NOLINT(cert-err58-cpp)\n", ["cert-err58-cpp"]),
        ("A.cs", "class A {}\n", "#pragma warning disable CS0168\nclass A {}\n", ["CS0168"]),
        ("a.sh", "echo $a\n", "# shellcheck disable=SC2086\necho $a\n", ["SC2086"]),
        (
            "run",
            "#!/bin/sh\necho $a\n",
            snippet("""
                #!/bin/sh
                # shellcheck disable=SC2086
                echo $a
            """),
            ["SC2086"],
        ),
        ("a.rb", "a\n", "a # rubocop:disable Style/X\n", ["Style/X"]),
        (
            "a.vue",
            "<script>\nb()\n",
            snippet("""
                <script>
                // @ts-ignore
                b()
            """),
            ["ts-ignore"],
        ),
    ],
)
def test_a_new_suppression_is_a_loss(
    tmp_path: Path, path: str, old: str, new: str, rules: list[str]
) -> None:
    expected = [f"suppression:{path}:{rule}" for rule in rules]

    assert find_ids(tmp_path, {path: old}, {path: new}) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param({"a.py": "x = 1\n"}, {"a.py": 's = "# noqa: F401"\n'}, id="in a string"),
        pytest.param({"a.py": "x = 1\n"}, {"a.py": '"""Write `# noqa`."""\n'}, id="in a docstring"),
        pytest.param(
            {"a.js": "a\n"}, {"a.js": "a = '// @ts-ignore'\n"}, id="in a string of another"
        ),
        pytest.param({"a.md": "a\n"}, {"a.md": "use `# noqa`\n"}, id="in prose"),
        pytest.param(
            {"a.py": "import os  # noqa\n"}, {"a.py": "import os  # noqa: F401\n"}, id="narrower"
        ),
        pytest.param(
            {"a.py": "import a  # type: ignore\n"},
            {"a.py": "import a  # type: ignore[import-untyped, import-not-found]\n"},
            id="narrower in two",
        ),
        pytest.param(
            {"a.ts": "// @ts-ignore\na()\n"}, {"a.ts": "// @ts-expect-error\na()\n"}, id="strict"
        ),
        pytest.param(
            {"a.py": "import os  # noqa: F401\n"}, {"a.py": "import os\nos\n"}, id="fewer"
        ),
        pytest.param(
            {"a.py": "x = 1\nimport os  # noqa: F401\n"},
            {"a.py": "x = 1\n", "b.py": "import os  # noqa: F401\n"},
            id="moved with its code",
        ),
        pytest.param(
            {"a.py": "import os  # noqa: F401\ny = 2\n"},
            {"b/a.py": "import os  # noqa: F401\ny = 3\n"},
            id="file moved and edited",
        ),
        pytest.param(
            {"a.rs": "#[allow(dead_code)]\nfn a() {}\n"},
            {"a.rs": "#[expect(dead_code)]\nfn a() {}\n"},
            id="allow to expect",
        ),
        pytest.param(
            {"a.ts": "let a = b!;\n"},
            {
                "a.ts": snippet("""
                    let a =
                      b!;
                    let c = 1;
                """)
            },
            id="reformatted",
        ),
        pytest.param({}, {"a.test.ts": "expect(a!.b as any).toBe(1)\n"}, id="casts of a new test"),
        pytest.param({"a.py": CALC}, {"a.py": CALC.replace("-> int", "-> str")}, id="another type"),
        pytest.param(
            {"a.py": CALC}, {"a.py": CALC + "\n\ndef b(c):\n    return c\n"}, id="new code"
        ),
        pytest.param(
            {"a.py": CALC}, {"a.py": CALC + "x: Any = json.loads('1')\n"}, id="no better type"
        ),
        pytest.param({"a.ts": "let a\n"}, {"b.ts": "let a\n"}, id="renamed TypeScript"),
        pytest.param({"a.js": "let a\n"}, {"a.ts": "let a\n"}, id="JavaScript made TypeScript"),
        pytest.param({"a.py": "x = (\n"}, {"a.py": "x = ((\n"}, id="what nobody can parse"),
    ],
)
def test_what_silences_no_more_than_before_is_none(
    tmp_path: Path, old: dict[str, str], new: dict[str, str]
) -> None:
    assert find_ids(tmp_path, old, new) == []


def test_a_suppression_in_a_new_file_is_a_loss(tmp_path: Path) -> None:
    new = {"tests/test_a.py": "import os  # noqa: F401\n", "b.py": "x = cast(int, y)\n"}

    assert find_ids(tmp_path, {}, new) == [
        "suppression:b.py:cast",
        "suppression:tests/test_a.py:F401",
    ]


def test_typescript_that_goes_on_as_javascript_is_no_longer_type_checked(tmp_path: Path) -> None:
    found = find_ids(
        tmp_path, {"src/user.ts": USER}, {"src/user.js": "let a\n", "src/index.ts": ""}
    )

    assert found == ["suppression:src/user.js:type checking"]


@pytest.mark.parametrize("mark", ["spotless", "spotless:", "noqa", "noqa:", "type: ignore["])
def test_a_long_comment_takes_linear_time(mark: str) -> None:
    started = time.monotonic()
    list(read_markers(f"# {mark}" + " " * 300_000))
    assert time.monotonic() - started < 60


def test_an_approval_holds_for_the_lines_that_were_seen(tmp_path: Path) -> None:
    first = compare_projects(
        tmp_path / "a", {"a.py": "os\n"}, {"a.py": "os  # noqa: F401\nx = 1\n"}
    )
    edited = compare_projects(
        tmp_path / "b", {"a.py": "os\n"}, {"a.py": "os  # noqa: F401\nx = 2\n"}
    )
    another = compare_projects(tmp_path / "c", {"a.py": "os\n"}, {"a.py": "os\nre  # noqa: F401\n"})

    (seen,), (again,), (other,) = (
        [concern.id for concern in suppressions.find_concerns(comparison)]
        for comparison in (first, edited, another)
    )
    assert seen == again != other


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ({"vendor/a.py": CALC}, ["suppression:vendor/a.py:moved away"]),
        ({"vendor/a.py": CALC + "x = 1\n"}, ["suppression:vendor/a.py:moved away"]),
        ({"old/a.py": CALC}, ["suppression:old/a.py:moved away"]),
        ({"core/a.py": CALC}, []),
    ],
)
def test_code_may_not_move_to_where_the_tools_do_not_look(
    tmp_path: Path, new: dict[str, str], expected: list[str]
) -> None:
    settings = {"ruff.toml": 'extend-exclude = ["gone"]\nexclude = ["old"]\n'}

    assert find_ids(tmp_path, {"src/a.py": CALC, **settings}, {**new, **settings}) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -m pytest -q", []),
        ("pytest --cov=src", []),
        ("pytest --ruff", ["suppression:a.py:F401"]),
        ("python -m unittest discover", []),
        ("ruff check . && pytest", ["suppression:a.py:F401"]),
        ("mypy . && pytest", []),
        ("npx tsc --noEmit && pytest", ["suppression:a.ts:ts-ignore"]),
        ("vitest run", []),
        ("vitest run --typecheck", ["suppression:a.ts:ts-ignore"]),
        ("make check", ["suppression:a.py:F401", "suppression:a.ts:ts-ignore"]),
    ],
)
def test_a_comment_that_no_check_obeys_is_no_concern(
    tmp_path: Path, command: str, expected: list[str]
) -> None:
    new = {"a.py": "import os  # noqa: F401\n", "a.ts": "// @ts-ignore\nlet a = 1\n"}

    found = suppressions.find_concerns(
        compare_projects(tmp_path, {"a.py": "", "a.ts": ""}, new, command)
    )

    assert sorted(concern.id.partition("#")[0] for concern in found) == expected


@pytest.mark.parametrize(
    ("path", "old", "new", "silent", "reader"),
    [
        ("a.py", CALC, CALC.replace("-> int", ""), "pytest && ruff check .", "mypy ."),
        ("a.py", CALC, CALC.replace("return value", "return cast(int, value)"), "pytest", "mypy ."),
        ("a.py", "# mypy: strict\nx = 1\n", "x = 1\n", "pytest", "mypy ."),
        ("a.ts", USER, USER.replace("u.age", "(u as any).age"), "vitest run", "tsc --noEmit"),
        ("a.rs", "fn a() {}\n", "#[allow(dead_code)]\nfn a() {}\n", "cargo test", "cargo clippy"),
        ("a.go", "a()\n", "a() //nolint:errcheck\n", "go test ./...", "make lint"),
    ],
)
def test_what_silences_a_tool_counts_where_a_check_runs_that_tool(
    tmp_path: Path, path: str, old: str, new: str, silent: str, reader: str
) -> None:
    def find(command: str) -> list[Concern]:
        trees = compare_projects(tmp_path / command[:5], {path: old}, {path: new}, command)
        return list(suppressions.find_concerns(trees))

    assert find(silent) == []
    assert find(reader) != []


def test_a_runner_that_compiles_typescript_reads_its_suppressions(tmp_path: Path) -> None:
    settings = {"jest.config.js": "module.exports = { preset: 'ts-jest' };\n"}
    new = {**settings, "a.ts": "// @ts-ignore\nlet a = 1\n"}
    comparison = compare_projects(tmp_path, {**settings, "a.ts": "let a = 1\n"}, new, "jest")

    assert [each.path for each in suppressions.find_concerns(comparison)] == ["a.ts"]
    assert suppressions.find_unread_rules(comparison) == ()


def test_a_crate_that_denies_warnings_fails_by_lints(tmp_path: Path) -> None:
    old = "#![deny(warnings)]\nfn a() {}\n"
    new = old.replace("fn a", "#[allow(dead_code)]\nfn a")
    comparison = compare_projects(tmp_path, {"a.rs": old}, {"a.rs": new}, "cargo test")

    assert [each.path for each in suppressions.find_concerns(comparison)] == ["a.rs"]


NO_COVER = "def a():  # pragma: no cover\n    pass\n"
JEST_COUNTS = "module.exports = { collectCoverage: true };\n"
VITEST_COUNTS = "export default { test: { coverage: { enabled: true } } };\n"


@pytest.mark.parametrize(
    ("command", "settings", "expected"),
    [
        ("python -m pytest -q", {}, []),
        ("python -m unittest discover", {}, []),
        ("npm test", {"package.json": '{"scripts": {"test": "jest", "cover": "c8 jest"}}'}, []),
        ("python -m pytest", {"pyproject.toml": "[tool.coverage.report]\nfail_under = 9\n"}, []),
        ("jest", {"jest.config.js": "module.exports = { collectCoverage: false };\n"}, []),
        ("pytest --cov=src", {}, ["a.js:coverage ignore", "a.py:pragma: no cover"]),
        ("coverage run -m pytest", {}, ["a.js:coverage ignore", "a.py:pragma: no cover"]),
        (
            "python -m pytest",
            {"pytest.ini": "[pytest]\naddopts = --cov=src\n"},
            ["a.js:coverage ignore", "a.py:pragma: no cover"],
        ),
        (
            "npm test",
            {"package.json": '{"scripts": {"test": "c8 node --test"}}'},
            ["a.js:coverage ignore", "a.py:pragma: no cover"],
        ),
        (
            "jest",
            {"jest.config.js": JEST_COUNTS},
            ["a.js:coverage ignore", "a.py:pragma: no cover"],
        ),
        (
            "vitest run",
            {"vitest.config.js": VITEST_COUNTS},
            ["a.js:coverage ignore", "a.py:pragma: no cover"],
        ),
    ],
)
def test_lines_are_taken_out_of_the_count_only_where_somebody_counts(
    tmp_path: Path, command: str, settings: dict[str, str], expected: list[str]
) -> None:
    new = {"a.py": f"import os  # noqa: F401\n{NO_COVER}", "a.js": "/* c8 ignore next */\nb()\n"}
    old = {"a.py": NO_COVER.replace("  # pragma: no cover", ""), "a.js": "b()\n"}

    found = suppressions.find_concerns(
        compare_projects(tmp_path, old | settings, new | settings, command)
    )

    names = sorted(concern.id.partition("#")[0] for concern in found)
    assert names == [f"suppression:{each}" for each in expected]


OWN_RULES = "export default [{ rules: { eqeqeq: 'error' } }];\n"
ELSEWHERE = "import { known } from './config/rules.js';\nexport default [{ rules: known }];\n"
MADE = "import { known } from './config/rules.js';\nexport default [made(known, { rules: {} })];\n"


@pytest.mark.parametrize(
    ("settings", "comment", "expected"),
    [
        (OWN_RULES, "// eslint-disable-line no-undef", []),
        (OWN_RULES, "// eslint-disable-line eqeqeq", ["suppression:a.js:eqeqeq"]),
        (OWN_RULES, "// eslint-disable-line", ["suppression:a.js:eslint-disable"]),
        (OWN_RULES, "/* eslint-disable */", ["suppression:a.js:eslint-disable"]),
        (ELSEWHERE, "// eslint-disable-line eqeqeq", ["suppression:a.js:eqeqeq"]),
        (MADE, "// eslint-disable-line eqeqeq", ["suppression:a.js:eqeqeq"]),
    ],
)
def test_only_a_rule_that_nobody_had_switched_on_may_be_silenced(
    tmp_path: Path, settings: str, comment: str, expected: list[str]
) -> None:
    rules = "export const known = { eqeqeq: 'error' };\n"
    old = {"eslint.config.js": settings, "config/rules.js": rules, "a.js": "f(x == 1);\n"}
    new = {**old, "a.js": f"f(x == 1); {comment}\n"}

    found = suppressions.find_concerns(compare_projects(tmp_path, old, new, "eslint ."))

    assert [concern.id.partition("#")[0] for concern in found] == expected
