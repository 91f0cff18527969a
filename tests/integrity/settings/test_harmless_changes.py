"""Changes of configuration that check as much as before, and what is compared with what."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.settings import comparison as settings

CODE = {
    "src/a.py": "x = 1\n",
    "src/b.js": "x\n",
    "src/c.ts": "x\n",
    "tests/test_a.py": "def test_a(): pass\n",
    "test/a.test.js": "test()\n",
}
ESLINT = "export default [{ files: ['src/**/*.js'], rules: { eqeqeq: 'error' } }];\n"
TSCONFIG = '{"compilerOptions": {"strict": true}, "include": ["src"]}\n'
RUFF = '[tool.ruff.lint]\nselect = ["E", "F"]\n'
WORKFLOW = """\
jobs:
  test:
    steps:
      - run: pytest
"""


def find_ids(top: Path, old: dict[str, str], new: dict[str, str]) -> list[str]:
    found = settings.find_concerns(compare_projects(top, {**CODE, **old}, {**CODE, **new}))
    return [concern.id.partition("#")[0].removeprefix("config:") for concern in found]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "pyproject.toml",
            "[tool.coverage.report]\nfail_under = 80\n",
            "[tool.coverage.report]\nfail_under = 90\n",
        ),
        ("pyproject.toml", "", '[tool.coverage.run]\nomit = ["tests/*"]\n'),
        ("pytest.ini", "[pytest]\n", "[pytest]\ntestpaths = src tests\n"),
        ("pytest.ini", "[pytest]\ntestpaths = tests\n", "[pytest]\ntestpaths = tests docs\n"),
        ("pyproject.toml", "", '[tool.coverage.run]\nsource = ["src"]\n'),
        (
            "pyproject.toml",
            "",
            '[tool.coverage.report]\nexclude_also = ["if TYPE_CHECKING:", "@overload"]\n',
        ),
        ("package.json", "{}", '{"workspaces": ["packages/*"]}\n'),
        (
            "vitest.config.js",
            "export default { test: {} };\n",
            "export default { test: { benchmark: { include: ['bench/**'] } } };\n",
        ),
        ("jest.config.js", "", "module.exports = { collectCoverageFrom: ['src/**/*.{js,ts}'] };\n"),
        (
            "pyproject.toml",
            "[project]\nname = 'a'\n",
            snippet("""
                [project]
                name = 'a'
                dependencies = ['httpx']
            """),
        ),
        (
            "pyproject.toml",
            "[project]\nname = 'a'\n",
            snippet("""
                [project]
                name = 'a'
                [tool.setuptools.packages.find]
                exclude = ['src*']
            """),
        ),
        ("pyproject.toml", RUFF, RUFF.replace('"F"', '"F", "B", "UP"')),
        ("pyproject.toml", RUFF, '[tool.ruff.lint]\nselect = ["ALL"]\n'),
        ("pyproject.toml", RUFF, RUFF.replace('"E"', '"E4", "E"')),
        ("ruff.toml", "line-length = 90\n", 'lint.select = ["E4", "E7", "E9", "F", "B"]\n'),
        ("ruff.toml", "line-length = 90\n", 'lint.extend-select = ["B"]\n'),
        ("pyproject.toml", RUFF, '[tool.ruff]\nextend-exclude = ["build", "dist"]\n' + RUFF),
        (
            "pyproject.toml",
            RUFF,
            RUFF + '[tool.ruff.lint.per-file-ignores]\n"tests/*" = ["S101"]\n',
        ),
        (
            "pyproject.toml",
            RUFF,
            snippet("""
                [tool.ruff.lint]
                # sorted
                select = [
                    "F",
                    "E",
                ]
            """),
        ),
        (
            "pytest.ini",
            "[pytest]\n",
            snippet("""
                [pytest]
                addopts = -ra -q --strict-markers --strict-config
                xfail_strict = true
            """),
        ),
        ("pytest.ini", "[pytest]\n", "[pytest]\ntestpaths = tests\n"),
        ("pytest.ini", "[pytest]\ntestpaths = tests\n", "[pytest]\n"),
        (
            "pytest.ini",
            "[pytest]\n",
            snippet("""
                [pytest]
                markers =
                    slow: takes long
            """),
        ),
        ("pytest.ini", "[pytest]\n", "[pytest]\nfilterwarnings = error\n"),
        ("mypy.ini", "[mypy]\nwarn_unused_ignores = true\n", "[mypy]\nstrict = true\n"),
        ("mypy.ini", "[mypy]\nexclude = build\n", "[mypy]\nexclude = build|dist\n"),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace("true", 'true, "noUncheckedIndexedAccess": true'),
        ),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace("true", 'true, "target": "es2024", "outDir": "dist"'),
        ),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace("]}", '], "exclude": ["node_modules", "dist"]}'),
        ),
        ("tsconfig.json", TSCONFIG, TSCONFIG.replace('"src"', '"src", "test"')),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace('"src"', '"src/**/*.ts", "src/**/*.js", "src/**/*.py"'),
        ),
        (
            "eslint.config.js",
            ESLINT,
            ESLINT.replace("'error'", "'error', 'no-var': 'error', curly: 'warn'"),
        ),
        ("eslint.config.js", ESLINT, ESLINT.replace("'error'", "['error', 'always']")),
        (
            "eslint.config.js",
            ESLINT,
            ESLINT.replace("[{", "[{ ignores: ['dist/**', 'coverage/'] }, {"),
        ),
        (
            "jest.config.js",
            "module.exports = {};\n",
            "module.exports = { verbose: true, reporters: ['default'] };\n",
        ),
        (
            "vitest.config.ts",
            "export default defineConfig({ test: {} });\n",
            "export default defineConfig({ test: { coverage: { thresholds: { lines: 80 } } } });\n",
        ),
        (
            "package.json",
            '{"version": "1.0.0"}',
            '{"version": "1.1.0", "dependencies": {"left": "1"}, "files": ["dist"]}',
        ),
        (
            "package.json",
            '{"scripts": {"test": "jest"}}',
            '{"scripts": {"test": "jest", "start": "node ."}}',
        ),
        (
            ".gitignore",
            "dist\n",
            snippet("""
                dist
                build/
                *.egg-info/
                .coverage
            """),
        ),
        (
            "Cargo.toml",
            "[package]\nname = 'a'\n",
            snippet("""
                [package]
                name = 'a'
                [dependencies]
                serde = '1'
                [lints.clippy]
                all = 'deny'
            """),
        ),
        (
            ".golangci.yml",
            "linters:\n  enable: [govet]\n",
            "linters:\n  enable: [govet, errcheck]\n",
        ),
        (".github/workflows/ci.yml", WORKFLOW, WORKFLOW + "      - run: ruff check\n"),
        ("codecov.yml", "coverage: {}\n", "coverage: {}\ncomment: false\n"),
        (".npmrc", "", "save-exact=true\n"),
        (".env", "A=1\n", "A=1\nAPI_URL=http://localhost\n"),
    ],
)
def test_a_stricter_or_unrelated_setting_is_no_concern(
    tmp_path: Path, path: str, old: str, new: str
) -> None:
    assert find_ids(tmp_path, {path: old}, {path: new}) == []


SAMPLE = {"tests/samples/test_b.py": "raise SystemExit\n"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pytest.ini", "[pytest]\nnorecursedirs = samples .git\n"),
        ("pytest.ini", "[pytest]\naddopts = -ra --ignore=tests/samples\n"),
        ("pytest.ini", "[pytest]\naddopts = --ignore=./tests/samples/test_b.py\n"),
        ("jest.config.js", "module.exports = { testPathIgnorePatterns: ['/test/e2e/'] };\n"),
        ("vitest.config.js", "export default { test: { exclude: ['test/e2e/**'] } };\n"),
    ],
)
def test_a_test_runner_may_leave_out_new_files(tmp_path: Path, path: str, text: str) -> None:
    new = {**SAMPLE, "test/e2e/b.test.js": "test()\n", path: text}
    assert find_ids(tmp_path / "kept", {}, new) == []

    gone = {"tests/test_c.py": "def test_c(): pass\n"}
    assert len(find_ids(tmp_path / "gone", gone, new)) == 1


@pytest.mark.parametrize(
    "path",
    [
        *("tests", "tests/test_a.py", "./tests/test_a.py", "tests/./test_a.py", "tests//test_a.py"),
        *("tests/samples/../test_a.py", "/elsewhere/tests/test_a.py", "tests/test_[a].py"),
    ],
)
def test_an_option_may_not_leave_out_a_baseline_test(tmp_path: Path, path: str) -> None:
    new = {**SAMPLE, "pytest.ini": f"[pytest]\naddopts = --ignore={path}\n"}
    assert find_ids(tmp_path, {}, new) == ["pytest.ini:pytest.addopts"]


def test_settings_may_move_to_another_file_of_the_same_folder(tmp_path: Path) -> None:
    old = {
        "setup.cfg": snippet("""
            [tool:pytest]
            xfail_strict = true
            [mypy]
            strict = true
        """)
    }
    new = {
        "pyproject.toml": snippet("""
            [tool.pytest.ini_options]
            xfail_strict = true
            [tool.mypy]
            strict = true
        """)
    }

    assert find_ids(tmp_path / "kept", old, new) == []
    assert find_ids(tmp_path / "lost", old, {"docs/pyproject.toml": new["pyproject.toml"]}) == [
        "setup.cfg:pytest.xfail_strict",
        "setup.cfg:mypy.strict",
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("src/ruff.toml", "lint.select = []\n", ["src/ruff.toml:ruff.lint.select"]),
        ("src/ruff.toml", "line-length = 88\n", ["src/ruff.toml:ruff.lint.select"]),
        ("src/ruff.toml", 'extend = "../pyproject.toml"\nline-length = 88\n', []),
        (
            "src/ruff.toml",
            'extend = "../pyproject.toml"\nlint.ignore = ["F"]\n',
            ["src/ruff.toml:ruff.lint.ignore"],
        ),
        ("pytest.ini", "[pytest]\n", ["pytest.ini:pytest.xfail_strict"]),
        ("pytest.ini", "[pytest]\nxfail_strict = true\n", []),
    ],
)
def test_a_new_file_is_compared_with_what_it_hides(
    tmp_path: Path, path: str, text: str, expected: list[str]
) -> None:
    held = {"pyproject.toml": RUFF + "[tool.pytest.ini_options]\nxfail_strict = true\n"}

    assert find_ids(tmp_path, held, {**held, path: text}) == expected


def test_an_extended_file_is_part_of_the_settings(tmp_path: Path) -> None:
    old = {"tsconfig.json": TSCONFIG}
    base = '{"compilerOptions": {"strict": true}, "include": ["src"]}'
    new = {"tsconfig.json": '{"extends": "./base/tsconfig.base"}', "base/tsconfig.base.json": base}

    assert find_ids(tmp_path / "kept", old, new) == []
    new["base/tsconfig.base.json"] = base.replace("true", "false")
    assert find_ids(tmp_path / "lost", old, new) == [
        "tsconfig.json:tsconfig.compilerOptions.strict",
        "base/tsconfig.base.json:tsconfig.compilerOptions.strict",
    ]


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        (
            ".mypy-baseline.txt",
            "a.py:1: error\n",
            "a.py:1: error\nb.py:2: error\n",
            [".mypy-baseline.txt"],
        ),
        (".mypy-baseline.txt", "a.py:1: error\nb.py:1: e\n", "a.py:9: error\n", []),
        ("detekt-baseline.xml", "<a/>\n", "<a/>\n<b/>\n", ["detekt-baseline.xml"]),
        ("tests/baseline.json", "1\n", "2\n", []),
        ("src/baseline.py", "x = 1\n", "x = 2\n", []),
    ],
)
def test_a_lint_baseline_may_only_get_shorter(
    tmp_path: Path, path: str, old: str, new: str, expected: list[str]
) -> None:
    assert find_ids(tmp_path, {path: old}, {path: new}) == expected


def test_a_lint_baseline_may_move(tmp_path: Path) -> None:
    findings = "a.py:1: error\n"

    assert find_ids(tmp_path, {"baseline.txt": findings}, {"lint/baseline.txt": findings}) == []


@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("package.json", '{"version": "1"}', '{"version": "2", "dependencies": {"a": "1"}}', True),
        ("package.json", "{}", '{"jest": {"passWithNoTests": true}}', False),
        ("package.json", "{}", '{"jest": {"resolver": "./x.js"}}', False),
        ("package.json", "{}", '{"dependencies": {"jest": "file:./fake"}}', False),
        ("package.json", '{"scripts": {}}', '{"scripts": {"start": "node ."}}', True),
        ("package.json", '{"scripts": {}}', '{"scripts": {"pretest": "cp a b"}}', False),
        ("package-lock.json", "{}", '{"a": 1}', True),
        ("pyproject.toml", "", "[tool.mypy]\nstrict = true\n", True),
        ("conftest.py", "", "import x\n", False),
        (".gitignore", "", "dist/\n", True),
    ],
)
def test_a_change_is_harmless_if_all_of_it_is_known(
    tmp_path: Path, path: str, old: str, new: str, expected: bool
) -> None:
    assert (
        settings.is_harmless_edit(compare_projects(tmp_path, {path: old}, {path: new}), path)
        is expected
    )


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ('"testMatch": ["**/test/**/*.test.js"], "cache": false', True),
        ('"testMatch": ["**/test/**/*.test.js"], "cache": false, "runner": "./quiet"', False),
        ('"testMatch": ["**/test/**/a.test.js"], "cache": false', False),
    ],
)
def test_a_file_whose_settings_all_moved_may_be_removed(
    tmp_path: Path, kept: str, *, expected: bool
) -> None:
    config = "module.exports = { testMatch: ['**/test/**/*.test.js'], cache: false };\n"
    more = {"test/b.test.js": "test()\n"}
    old = {**CODE, **more, "jest.config.js": config, "package.json": "{}\n"}
    new = {**CODE, **more, "package.json": f'{{"jest": {{{kept}}}}}\n'}
    comparison = compare_projects(tmp_path, old, new)

    places = ("jest.config.js", "package.json")
    assert all(settings.is_harmless_edit(comparison, path) for path in places) is expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("{}", '{"imports": {"#lib/*": "./src/*.js"}, "exports": "./src/b.js"}', True),
        ('{"imports": {"#b": "./src/b.js"}}', '{"imports": {"#b": "./x/b.js"}}', False),
        (
            '{"imports": {"#*": "./src/*.js"}}',
            '{"imports": {"#*": "./src/*.js", "#b": "./x/b.js"}}',
            False,
        ),
        ("{}", '{"main": "./x/b.js"}', False),
        ("{}", '{"devDependencies": {"jest": "file:./x"}}', False),
    ],
)
def test_a_package_may_begin_to_name_its_files(
    tmp_path: Path, old: str, new: str, *, expected: bool
) -> None:
    path = "package.json"
    comparison = compare_projects(tmp_path, {**CODE, path: old}, {**CODE, path: new})

    assert settings.is_harmless_edit(comparison, path) is expected


def test_settings_that_moved_to_another_file_are_harmless(tmp_path: Path) -> None:
    old = {"package.json": '{"jest": {"testEnvironment": "node"}}'}
    new = {
        "package.json": "{}",
        "jest.config.js": "module.exports = { testEnvironment: 'node' };\n",
    }
    comparison = compare_projects(tmp_path, old, new)

    assert [settings.is_harmless_edit(comparison, path) for path in new] == [True, True]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", "= ["),
        ("tsconfig.json", "{,,"),
        ("setup.cfg", "[a\nb"),
        (".github/workflows/ci.yml", "a: &a [*a, {b: *a}]\n"),
        (".golangci.yml", "{"),
        ("pom.xml", "<<<a"),
        ("eslint.config.js", "export default [{"),
        ("setup.cfg", "[a]\nb\n  c\n"),
        ("pyproject.toml", "a." * 50_000 + "b = 1"),
        (".eslintignore", "(a+)+$\n{a,b}/c\n"),
    ],
)
def test_a_file_that_cannot_be_parsed_raises_nothing(tmp_path: Path, path: str, text: str) -> None:
    assert find_ids(tmp_path, {path: ""}, {path: text}) == []


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        ("[tool.mypy]\nstrict = true\n", True),
        ("[tool.mypy]\nstrict = false\n", False),
        (
            snippet("""
                [tool.mypy]
                strict = true
                check_untyped_defs = false
            """),
            False,
        ),
        ("[tool.mypy]\nwarn_unreachable = true\n", False),
    ],
)
def test_a_setting_may_be_part_of_a_stricter_one_in_another_file(
    tmp_path: Path, now: str, *, kept: bool
) -> None:
    old = {"setup.cfg": "[mypy]\ncheck_untyped_defs = True\n"}

    found = find_ids(tmp_path, old, {"pyproject.toml": now})

    assert ("setup.cfg:mypy.check_untyped_defs" not in found) == kept
