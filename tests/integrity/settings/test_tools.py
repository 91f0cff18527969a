"""Settings of ESLint, tsc, vitest, Cargo, Go and formatters: looser, or only seemingly so."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.settings import comparison as settings

CODE = {
    "src/b.js": "x\n",
    "src/c.ts": "x\n",
    "test/a.test.js": "test()\n",
    "scripts/x.js": "x\n",
}
RULES = "rules: { eqeqeq: 'error', 'no-undef': 'error' }"


def find_ids(top: Path, old: dict[str, str], new: dict[str, str], *commands: str) -> list[str]:
    found = settings.find_concerns(compare_projects(top, old, new, *commands))
    return [concern.id.partition("#")[0].removeprefix("config:") for concern in found]


def judge_change(top: Path, path: str, old: str, new: str) -> tuple[list[str], bool]:
    """The concerns, and whether the current file may be used to judge."""
    comparison = compare_projects(top, {**CODE, path: old}, {**CODE, path: new})
    ids = [
        concern.id.partition("#")[0].rpartition(":")[2]
        for concern in settings.find_concerns(comparison)
    ]
    return ids, settings.is_harmless_edit(comparison, path)


ALL = f"export default [{{ {RULES} }}];\n"


@pytest.mark.parametrize(
    "new",
    [
        "const strict = { eqeqeq: 'error', 'no-undef': 'error' };\n"
        "export default [{ rules: { ...strict } }];\n",
        "const rules = { eqeqeq: 'error', 'no-undef': 'error' };\nexport default [{ rules }];\n",
        f"const all = [{{ {RULES} }}];\n"
        "export default [...all, { rules: { 'no-var': 'error' } }];\n",
        f"export default [{{ files: ['src/**/*.js', '{{test,scripts}}/*.js'], {RULES} }}];\n",
        f"export default [{{ {RULES} }},"
        " { files: ['test/**'], rules: { 'no-var': 'error' } }];\n",
        f"export default [{{ {RULES} }},"
        " { files: ['scripts/**'], languageOptions: { globals: { process: 'readonly' } } }];\n",
        "const node = { console: 'readonly' };\n"
        f"export default [{{ {RULES}, languageOptions: {{ globals: node }} }}];\n",
        f"export default [{{ {RULES}, languageOptions: {{ globals: {{ ...globals.node }} }} }}];\n",
        f"export default [js.configs.recommended, {{ {RULES} }},"
        " { rules: { 'no-empty': 'off' } }];\n",
        f"export default [{{ {RULES},"
        " languageOptions: { ecmaVersion: 2024, sourceType: 'module' } }];\n",
    ],
)
def test_blocks_that_check_as_much_are_no_concern(tmp_path: Path, new: str) -> None:
    assert judge_change(tmp_path, "eslint.config.js", ALL, new)[0] == []


@pytest.mark.parametrize(
    ("new", "key"),
    [
        (f"export default [{{ files: ['src/**/*.js'], {RULES} }}];\n", "eslint.files"),
        (
            "export default [{ files: ['src/**'], rules: { eqeqeq: 'error' } },"
            " { rules: { 'no-undef': 'error' } }];\n",
            "eslint.files",
        ),
        (
            "const mild = { eqeqeq: 'off', 'no-undef': 'error' };\n"
            "export default [{ rules: mild }];\n",
            "eslint.rules.eqeqeq",
        ),
        (
            "const mild = { eqeqeq: 'off' };\n"
            "export default [{ rules: { 'no-undef': 'error', ...mild } }];\n",
            "eslint.rules.eqeqeq",
        ),
        (
            f"export default [{{ {RULES},"
            " languageOptions: { globals: { LIMTI: 'readonly' } } }];\n",
            "eslint.languageOptions.globals.LIMTI",
        ),
    ],
)
def test_a_block_that_checks_less_is_a_concern(tmp_path: Path, new: str, key: str) -> None:
    assert key in judge_change(tmp_path, "eslint.config.js", ALL, new)[0]


@pytest.mark.parametrize(
    ("old", "new", "keys"),
    [
        ("js.configs.recommended", "{ rules: { 'no-empty': 'off' } }", ["eslint.rules.no-empty"]),
        ("...ts.configs.style", "{ rules: { 'no-empty': 'off' } }", ["eslint.rules.no-empty"]),
        ("{ rules: { 'max-lines': ['error', 300] } }", "", ["eslint.rules.max-lines"]),
    ],
)
def test_a_rule_of_a_preset_may_not_be_switched_off(
    tmp_path: Path, old: str, new: str, keys: list[str]
) -> None:
    before = f"export default [{old}, {{ {RULES} }}];\n"
    after = f"export default [{old}, {{ {RULES} }}, {new}];\n".replace("300", "3000")

    assert judge_change(tmp_path, "eslint.config.js", before, after)[0] == keys


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (f"const all = [{{ {RULES} }}];\nexport default all;\n", True),
        (f"const all = [{{ {RULES} }}];\nall[0].rules = {{}};\nexport default all;\n", False),
        (f"const all = [{{ {RULES} }}];\nall.pop();\nexport default all;\n", False),
        (f"const r = {{ a: 1 }};\nObject.assign(r, x);\nexport default [{{ {RULES} }}];\n", False),
        (ALL + "process.exit = () => {};\n", False),
        (ALL + "if (process.env.CI) console.log(1);\n", False),
    ],
)
def test_code_that_changes_a_configuration_is_left_to_a_run(
    tmp_path: Path, new: str, expected: bool
) -> None:
    assert judge_change(tmp_path, "eslint.config.js", ALL, new)[1] is expected


TSCONFIG = '{"compilerOptions": {"strict": true, "skipLibCheck": true}, "include": ["src"]}\n'
BUILD = (
    '{"extends": "./tsconfig.json", "exclude": ["src/c.ts"], "compilerOptions": {"noEmit": false}}'
)


@pytest.mark.parametrize(
    ("script", "others", "keys"),
    [
        ({"types": "tsc", "build": "tsc -p tsconfig.build.json"}, {}, []),
        ({"types": "tsc -p tsconfig.build.json"}, {}, ["tsconfig.exclude"]),
        (
            {"types": "tsc"},
            {"jsconfig.json": '{"extends": "./tsconfig.build"}'},
            ["tsconfig.exclude"],
        ),
    ],
)
def test_a_new_file_that_has_to_be_named_counts_where_a_check_names_it(
    tmp_path: Path, script: dict[str, str], others: dict[str, str], keys: list[str]
) -> None:
    old = {**CODE, "tsconfig.json": TSCONFIG, "package.json": '{"scripts": {"types": "tsc"}}'}
    said = str({"scripts": script}).replace("'", '"')
    new = {**old, "package.json": said, "tsconfig.build.json": BUILD, **others}

    found = find_ids(tmp_path, old, new, "npm run types")
    assert [each for each in found if each.startswith("tsconfig.build")] == [
        f"tsconfig.build.json:{key}" for key in keys
    ]


def test_the_first_configuration_of_a_tool_is_no_concern(tmp_path: Path) -> None:
    eslint = "export default [{ ignores: ['src/b.js'], rules: { eqeqeq: 'off' } }];\n"
    new = {**CODE, "tsconfig.json": TSCONFIG, "eslint.config.js": eslint}

    assert find_ids(tmp_path, CODE, new) == []
    nested = {**CODE, "tsconfig.json": '{"compilerOptions": {"strict": true}}'}
    found = find_ids(tmp_path / "b", nested, {**nested, "src/tsconfig.json": TSCONFIG})
    assert found[:1] == ["src/tsconfig.json:tsconfig.compilerOptions.skipLibCheck"]


def test_a_new_file_is_compared_with_the_nearest_one_above_it(tmp_path: Path) -> None:
    old = {"ruff.toml": "lint.select = ['E']\n", "lib/ruff.toml": "lint.select = ['E', 'F']\n"}
    files = {**old, "a.py": "", "lib/in/a.py": ""}
    found = find_ids(tmp_path, files, {**files, "lib/in/ruff.toml": "lint.select = ['E']\n"})

    assert found == ["lib/in/ruff.toml:ruff.lint.select"]


def vitest(include: str) -> str:
    return f"export default defineConfig({{ test: {{ include: [{include}] }} }});\n"


@pytest.mark.parametrize(
    ("include", "moved", "expected"),
    [
        ("'src/**/*.test.js'", {"src/a.test.js": "test()\n"}, []),
        (
            "'src/**/*.test.ts'",
            {"src/a.test.js": "test()\n"},
            ["vitest.config.js:vitest.test.include"],
        ),
        (
            "'src/a.test.js'",
            {"src/a.test.js": "test()\n", "src/b.test.js": "test()\n"},
            ["vitest.config.js:vitest.test.include"],
        ),
    ],
)
def test_moved_tests_have_to_be_included_at_their_new_place(
    tmp_path: Path, include: str, moved: dict[str, str], expected: list[str]
) -> None:
    old = {"test/a.test.js": "test()\n", "vitest.config.js": vitest("'test/**/*.test.js'")}

    assert find_ids(tmp_path, old, {**moved, "vitest.config.js": vitest(include)}) == expected


CARGO = '[package]\nname = "a"\n'
RUST = {"Cargo.toml": CARGO, "src/main.rs": "", "tests/old.rs": ""}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (
            snippet("""
                [[bench]]
                name = "fast"
                harness = false
            """),
            [],
        ),
        (
            snippet("""
                [[test]]
                name = "new"
                harness = false
            """),
            [],
        ),
        (
            snippet("""
                [[test]]
                name = "old"
                harness = false
            """),
            ["Cargo.toml:test.old.harness"],
        ),
        (
            snippet("""
                [[test]]
                name = "b"
                path = "tests/old.rs"
                test = false
            """),
            ["Cargo.toml:test.b.test"],
        ),
        (
            snippet("""
                [[bin]]
                name = "a"
                test = false
            """),
            ["Cargo.toml:bin.a.test"],
        ),
        (
            snippet("""
                [[bin]]
                name = "c"
                required-features = ["cli"]
            """),
            [],
        ),
        (
            snippet("""
                [lints.rust]
                missing_docs = 'warn'
                unsafe_code = 'forbid'
            """),
            [],
        ),
        ("[lints.clippy]\nall = { level = 'warn', priority = -1 }\n", []),
        (
            snippet("""
                [lints.clippy]
                pedantic = 'warn'
                module_name_repetitions = 'allow'
            """),
            [],
        ),
        ("[lints.clippy]\nlen_zero = 'allow'\n", ["Cargo.toml:lints.clippy.len_zero"]),
        (
            snippet("""
                [lints.clippy]
                pedantic = 'allow'
                len_zero = 'allow'
            """),
            ["Cargo.toml:lints.clippy.pedantic", "Cargo.toml:lints.clippy.len_zero"],
        ),
    ],
)
def test_only_a_cargo_target_of_the_baseline_can_be_disabled(
    tmp_path: Path, more: str, expected: list[str]
) -> None:
    assert find_ids(tmp_path, RUST, {**RUST, "Cargo.toml": CARGO + more}) == expected


def test_tests_that_cargo_no_longer_finds_are_a_concern(tmp_path: Path) -> None:
    new = {**RUST, "Cargo.toml": CARGO + "autotests = false\n"}

    assert find_ids(tmp_path, RUST, new) == ["Cargo.toml:package.autotests"]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("Cargo.toml", CARGO, CARGO + "[lints.rust]\nmissing_docs = 'warn'\n", True),
        ("Cargo.toml", CARGO, CARGO + "[lints.clippy]\nall = 'warn'\n", False),
        ("Cargo.toml", CARGO, CARGO + "[lints.clippy]\nall = 'deny'\n", True),
        (
            "Cargo.toml",
            CARGO,
            CARGO
            + snippet("""
                [lints.clippy]
                pedantic='warn'
                len_zero='allow'
            """),
            False,
        ),
        ("go.mod", "module a\n\ngo 1.21\n", "module a\n\ngo 1.24\n", True),
        (
            "go.mod",
            "module a\n",
            snippet("""
                module a

                require (
                \tb/c v1.2.3 // indirect
                )
            """),
            True,
        ),
        ("go.mod", "module a\n", "module a\n\nreplace b/c => ./fake\n", False),
        (".prettierrc", "{}", '{"singleQuote": true}', True),
        (".prettierrc", "{}", '{"requirePragma": true}', False),
        ("rustfmt.toml", "max_width = 80\n", "max_width = 120\n", True),
        ("rustfmt.toml", "", "disable_all_formatting = true\n", False),
        ("tsconfig.json", TSCONFIG, TSCONFIG.replace("{", '{"x": 1,', 1), False),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace('"strict"', '"lib": ["es2024"], "types": ["node"], "strict"'),
            True,
        ),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace('"strict"', '"types": ["./any"], "strict"'),
            False,
        ),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace('"strict"', '"paths": {"a": ["b"]}, "strict"'),
            False,
        ),
    ],
)
def test_an_edit_is_harmless_if_all_of_its_keys_are_known(
    tmp_path: Path, path: str, old: str, new: str, expected: bool
) -> None:
    assert judge_change(tmp_path, path, old, new)[1] is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("packages/new/package.json", True),
        ("packages/old/package.json", False),
        ("package.json", False),
        (".new/package.json", False),
        ("packages/new/.npmrc", False),
    ],
)
def test_the_manifest_of_a_new_folder_is_harmless(
    tmp_path: Path, path: str, expected: bool
) -> None:
    old = {"packages/old/a.js": "", "a.js": ""}
    comparison = compare_projects(
        tmp_path, old, {**old, path: '{"dependencies": {"a": "file:../a"}}'}
    )

    assert settings.is_harmless_edit(comparison, path) is expected


@pytest.mark.parametrize(
    ("old", "new", "keys"),
    [
        ("", "[alias]\nxtask = 'run -p xtask --'\n", []),
        ("", "[alias]\nclippy = 'version'\n", ["cargo.alias.clippy"]),
        (
            "",
            snippet("""
                [alias]
                t = 'test --workspace'
                b = ['build', '--all-targets']
            """),
            [],
        ),
        ("", "[alias]\nt = 'test --no-run'\n", ["cargo.alias.t"]),
        ("", "[alias]\nt = 'test parse'\n", ["cargo.alias.t"]),
        ("", "[alias]\nt = 'check'\n", ["cargo.alias.t"]),
        ("[alias]\nx = 'test'\n", "[alias]\nx = 'version'\n", ["cargo.alias.x"]),
    ],
)
def test_an_alias_counts_where_a_check_could_call_it(
    tmp_path: Path, old: str, new: str, keys: list[str]
) -> None:
    assert judge_change(tmp_path, ".cargo/config.toml", old, new)[0] == keys
