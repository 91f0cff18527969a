"""Configuration compared key by key: a looser setting is a concern."""

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
    ("path", "old", "new", "keys"),
    [
        (
            "pyproject.toml",
            "[tool.coverage.report]\nfail_under = 95\n",
            "[tool.coverage.report]\nfail_under = 50\n",
            ["coverage.report.fail_under"],
        ),
        (
            "pyproject.toml",
            "[tool.coverage.report]\nfail_under = 95\n",
            "",
            ["coverage.report.fail_under"],
        ),
        ("pyproject.toml", "", '[tool.coverage.run]\nomit = ["src/*"]\n', ["coverage.run.omit"]),
        (
            "package.json",
            '{"workspaces": ["src", "tests"]}\n',
            '{"workspaces": ["src"]}\n',
            ["workspaces"],
        ),
        (".mocharc.json", "{}\n", '{"grep": "fast"}\n', ["mocha.grep"]),
        (".mocharc.json", "{}\n", '{"ignore": ["test/a.test.js"]}\n', ["mocha.ignore"]),
        (
            "jest.config.js",
            "module.exports = { collectCoverageFrom: ['src/**'] };\n",
            "module.exports = { collectCoverageFrom: ['src/*.ts'] };\n",
            ["jest.collectCoverageFrom"],
        ),
        (
            "pyproject.toml",
            "",
            '[tool.coverage.report]\nexclude_also = ["def x"]\n',
            ["coverage.report.exclude_also"],
        ),
        (
            ".coveragerc",
            "[report]\nfail_under = 90\n",
            "[report]\nfail_under = 80\n",
            ["coverage.report.fail_under"],
        ),
        (
            ".coveragerc",
            "[run]\nbranch = true\n",
            "[run]\nbranch = false\n",
            ["coverage.run.branch"],
        ),
        ("pyproject.toml", RUFF, RUFF + 'ignore = ["F401"]\n', ["ruff.lint.ignore"]),
        ("pyproject.toml", RUFF, RUFF.replace('"E", ', ""), ["ruff.lint.select"]),
        ("ruff.toml", "", 'lint.select = ["E4", "F"]\n', ["ruff.lint.select"]),
        (
            "pyproject.toml",
            RUFF,
            RUFF + '[tool.ruff.lint.per-file-ignores]\n"src/*" = ["F"]\n',
            ["ruff.lint.per-file-ignores.src/*"],
        ),
        (
            "pyproject.toml",
            RUFF,
            '[tool.ruff]\nextend-exclude = ["src"]\n' + RUFF,
            ["ruff.extend-exclude"],
        ),
        ("ruff.toml", "line-length = 88\n", "line-length = 300\n", ["ruff.line-length"]),
        (
            "ruff.toml",
            "[lint.mccabe]\nmax-complexity = 5\n",
            "[lint.mccabe]\nmax-complexity = 50\n",
            ["ruff.lint.mccabe.max-complexity"],
        ),
        ("mypy.ini", "[mypy]\nstrict = true\n", "[mypy]\nstrict = false\n", ["mypy.strict"]),
        ("mypy.ini", "[mypy]\nstrict = true\n", "", ["mypy.strict"]),
        (
            "mypy.ini",
            "[mypy]\nstrict = true\n",
            snippet("""
                [mypy]
                strict = true
                [mypy-a.*]
                ignore_errors = true
            """),
            ["mypy-a.*.ignore_errors"],
        ),
        ("mypy.ini", "[mypy]\n", "[mypy]\nexclude = ^src/\n", ["mypy.exclude"]),
        (
            "mypy.ini",
            "[mypy]\n",
            "[mypy]\ndisable_error_code = return-value\n",
            ["mypy.disable_error_code"],
        ),
        (
            "setup.cfg",
            "[flake8]\nmax-line-length = 79\n",
            snippet("""
                [flake8]
                max-line-length = 79
                extend-ignore = E203,F821
            """),
            ["flake8.extend-ignore"],
        ),
        (
            "setup.cfg",
            "[tool:pytest]\n",
            "[tool:pytest]\naddopts = -k 'not slow'\n",
            ["pytest.addopts"],
        ),
        (
            "pytest.ini",
            "[pytest]\n",
            "[pytest]\naddopts = --deselect tests/test_a.py::test_a\n",
            ["pytest.addopts"],
        ),
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -p quiet_failures\n", ["pytest.addopts"]),
        (
            "pytest.ini",
            "[pytest]\naddopts = -W error --strict-markers\n",
            "[pytest]\naddopts = -q\n",
            ["pytest.addopts"],
        ),
        ("pytest.ini", "[pytest]\nxfail_strict = true\n", "[pytest]\n", ["pytest.xfail_strict"]),
        (
            "pytest.ini",
            "[pytest]\ntestpaths = tests\n",
            "[pytest]\ntestpaths = tests/fast\n",
            ["pytest.testpaths"],
        ),
        (
            "pytest.ini",
            "[pytest]\n",
            "[pytest]\npython_functions = check_*\n",
            ["pytest.python_functions"],
        ),
        ("pytest.ini", "[pytest]\n", "[pytest]\nnorecursedirs = tests\n", ["pytest.norecursedirs"]),
        (
            "pytest.ini",
            "[pytest]\n",
            "[pytest]\nnorecursedirs = build tests\n",
            ["pytest.norecursedirs"],
        ),
        (
            "pyproject.toml",
            "",
            '[tool.pytest.ini_options]\nnorecursedirs = "tests .git"\n',
            ["pytest.norecursedirs"],
        ),
        ("pytest.ini", "[pytest]\n", "[pytest]\ntestpaths = docs src\n", ["pytest.testpaths"]),
        ("pytest.ini", "[pytest]\ntimeout = 5\n", "[pytest]\ntimeout = 600\n", ["pytest.timeout"]),
        (
            "pytest.ini",
            "[pytest]\nfilterwarnings = error\n",
            snippet("""
                [pytest]
                filterwarnings =
                    error
                    ignore::DeprecationWarning
            """),
            ["pytest.filterwarnings"],
        ),
        (
            "pyrightconfig.json",
            '{"typeCheckingMode": "strict"}',
            '{"typeCheckingMode": "basic"}',
            ["pyright.typeCheckingMode"],
        ),
        ("pyrightconfig.json", "{}", '{"reportReturnType": "none"}', ["pyright.reportReturnType"]),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace("true", "false"),
            ["tsconfig.compilerOptions.strict"],
        ),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace("true", 'true, "strictNullChecks": false'),
            ["tsconfig.compilerOptions.strictNullChecks"],
        ),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace("true", 'true, // why\n"noCheck": true,'),
            ["tsconfig.compilerOptions.noCheck"],
        ),
        ("tsconfig.json", TSCONFIG, TSCONFIG.replace('"src"', '"src/none"'), ["tsconfig.include"]),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace("]}", '], "exclude": ["src/c.ts"]}'),
            ["tsconfig.exclude"],
        ),
        (
            "tsconfig.json",
            TSCONFIG,
            TSCONFIG.replace('["src"]', '["src"], "files": ["src/d.ts"]').replace(
                '"include": ["src"], ', ""
            ),
            ["tsconfig.files"],
        ),
        ("eslint.config.js", ESLINT, ESLINT.replace("'error'", "'off'"), ["eslint.rules.eqeqeq"]),
        (
            "eslint.config.js",
            ESLINT,
            ESLINT.replace("'error'", "['warn', 'always']"),
            ["eslint.rules.eqeqeq"],
        ),
        ("eslint.config.mjs", ESLINT, ESLINT.replace("'error'", "0"), ["eslint.rules.eqeqeq"]),
        (
            "eslint.config.js",
            ESLINT,
            ESLINT.replace("eqeqeq: 'error'", ""),
            ["eslint.rules.eqeqeq"],
        ),
        (
            "eslint.config.js",
            ESLINT,
            ESLINT.replace("}];", "}, { files: ['src/b.js'], rules: { eqeqeq: 'off' } }];"),
            ["eslint.rules.eqeqeq"],
        ),
        (
            "eslint.config.js",
            ESLINT,
            ESLINT.replace("[{", "[{ ignores: ['src/**'] }, {"),
            ["eslint.ignores"],
        ),
        (
            "eslint.config.js",
            ESLINT,
            ESLINT.replace("src/**/*.js", "lib/**/*.js"),
            ["eslint.files"],
        ),
        (
            "eslint.config.js",
            "export default [js.configs.recommended];\n",
            "export default [js.configs.recommended, { rules: { 'no-undef': 'warn' } }];\n",
            ["eslint.rules.no-undef"],
        ),
        (
            ".eslintrc.json",
            '{"extends": "eslint:recommended"}',
            '{"extends": "eslint:recommended", "rules": {"no-undef": "warn"}}',
            ["eslint.rules.no-undef"],
        ),
        (".eslintignore", "dist\n", "dist\nsrc/b.js\n", ["ignored"]),
        (".gitignore", "dist\n", "dist\n/src/a.py\n", ["ignored"]),
        (
            "biome.json",
            '{"linter": {"rules": {"style": {"noVar": "error"}}}}',
            '{"linter": {"enabled": false, "rules": {"style": {"noVar": "error"}}}}',
            ["biome.linter.enabled"],
        ),
        (
            "jest.config.js",
            "module.exports = {};\n",
            "module.exports = { testPathIgnorePatterns: ['/test/'] };\n",
            ["jest.testPathIgnorePatterns"],
        ),
        (
            "jest.config.ts",
            "export default { coverageThreshold: { global: { lines: 90 } } };\n",
            "export default { coverageThreshold: { global: { lines: 10 } } };\n",
            ["jest.coverageThreshold.global.lines"],
        ),
        ("package.json", "{}", '{"jest": {"testMatch": ["**/none/*.js"]}}', ["jest.testMatch"]),
        (
            "vitest.config.ts",
            "export default defineConfig({ test: {} });\n",
            "export default defineConfig({ test: { testTimeout: 60_000 } });\n",
            ["vitest.test.testTimeout"],
        ),
        (
            "vitest.config.ts",
            "export default defineConfig({ test: {} });\n",
            "export default defineConfig({ test: { passWithNoTests: true, retry: 3 } });\n",
            ["vitest.test.passWithNoTests", "vitest.test.retry"],
        ),
        (
            "vitest.config.ts",
            "export default defineConfig({ test: { coverage: { thresholds: { lines: 80 } } } });\n",
            "export default defineConfig({ test: {} });\n",
            ["vitest.test.coverage.thresholds.lines"],
        ),
        (".npmrc", "", "ignore-scripts=true\n", ["environment.ignore-scripts"]),
        (".env", "A=1\n", "A=1\nPYTEST_ADDOPTS=-k fast\n", ["environment.PYTEST_ADDOPTS"]),
        (
            "Cargo.toml",
            "[package]\nname = 'a'\n",
            snippet("""
                [package]
                name = 'a'
                [lib]
                doctest = false
            """),
            ["lib.doctest"],
        ),
        (
            "Cargo.toml",
            "[lints.rust]\ndead_code = 'deny'\n",
            "[lints.rust]\ndead_code = 'allow'\n",
            ["lints.rust.dead_code"],
        ),
        (
            "Cargo.toml",
            "[lints.clippy]\nall = { level = 'deny', priority = -1 }\n",
            "[lints.clippy]\nall = { level = 'warn', priority = -1 }\n",
            ["lints.clippy.all.level"],
        ),
        (".cargo/config.toml", "", "[alias]\ntest = 'check'\n", ["cargo.alias.test"]),
        (
            ".golangci.yml",
            "linters:\n  enable: [errcheck, govet]\n",
            "linters:\n  enable: [govet]\n",
            ["linters.enable"],
        ),
        (
            "pom.xml",
            "<project></project>",
            "<project><properties><skipTests>true</skipTests></properties></project>",
            ["maven.project.properties.skipTests"],
        ),
        (
            "build.gradle",
            "test { }\n",
            "test { ignoreFailures = true\n exclude 'src/a.py' }\n",
            ["gradle.ignoreFailures", "gradle.exclude"],
        ),
        (
            "CMakeLists.txt",
            "add_test(NAME a COMMAND a)\n",
            "add_test(NAME a COMMAND a)\nset_tests_properties(a PROPERTIES WILL_FAIL TRUE)\n",
            ["cmake.WILL_FAIL"],
        ),
        (
            "codecov.yml",
            "coverage: {status: {project: {default: {target: 90%}}}}\n",
            "coverage: {status: {project: {default: {target: 60%}}}}\n",
            ["coverage.status.project.default.target"],
        ),
        (
            ".github/workflows/ci.yml",
            WORKFLOW,
            WORKFLOW + "        continue-on-error: true\n",
            ["ci.jobs.test.steps.continue-on-error"],
        ),
        (
            ".pre-commit-config.yaml",
            "repos: [{hooks: [{id: ruff}, {id: mypy}]}]\n",
            "repos: [{hooks: [{id: ruff}]}]\n",
            ["repos.hooks.id"],
        ),
    ],
)
def test_a_looser_setting_is_a_concern(
    tmp_path: Path, path: str, old: str, new: str, keys: list[str]
) -> None:
    assert find_ids(tmp_path, {path: old}, {path: new}) == [f"{path}:{key}" for key in keys]


def test_a_concern_is_bound_to_its_key_and_not_to_the_rest_of_the_file(tmp_path: Path) -> None:
    def ids(top: str, new: str) -> list[str]:
        old = "[tool.coverage.report]\nfail_under = 95\n"
        comparison = compare_projects(
            tmp_path / top, {"pyproject.toml": old}, {"pyproject.toml": new}
        )
        return [concern.id for concern in settings.find_concerns(comparison)]

    lowered = "[tool.coverage.report]\nfail_under = 50\n"

    assert ids("first", lowered) == ids("more", f'{lowered}[project]\nversion = "2"\n')
    assert ids("first", lowered) != ids("again", lowered.replace("50", "40"))
