"""Folders that a tool wrote are not compared; code that was put there by hand is."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.registry import find_concerns

START = {
    "src/a.js": "export const a = 1;\n",
    "test/a.test.js": "test('a', () => { expect(a).toBe(1); });\n",
    "package.json": '{"name": "a", "scripts": {"test": "jest", "lint": "eslint ."}}\n',
    "eslint.config.js": "export default [{ rules: { eqeqeq: 'error' } }];\n",
    "jest.config.js": "module.exports = {};\n",
    "tsconfig.json": '{"compilerOptions": {"strict": true}, "include": ["src"]}\n',
    ".gitignore": "node_modules/\n",
}
SORTER = "/* eslint-disable */\nvar a = 1;\n"
IGNORED = {".gitignore": "node_modules/\ndist/\n"}
HIDDEN = {"dist/a.js": "/* eslint-disable */\nexport const a = b == 1;\n", **IGNORED}


def find_ids(top: Path, new: dict[str, str], *commands: str, without: str = "") -> list[str]:
    now = {path: text for path, text in {**START, **new}.items() if path != without}
    found = find_concerns(
        compare_projects(top, START, now, *(commands or ("npm test", "npm run lint")))
    )
    return [concern.id.partition("#")[0] for concern in found]


@pytest.mark.parametrize(
    "new",
    [
        {"coverage/lcov-report/sorter.js": SORTER},
        {"coverage/lcov-report/sorter.js": SORTER, ".gitignore": "node_modules/\ncoverage/\n"},
        {
            "coverage/lcov-report/sorter.js": SORTER,
            "jest.config.js": "module.exports = { collectCoverageFrom: ['src/**/*.js'] };\n",
        },
        {"dist/a.js": "if (process.env.NODE_ENV === 'test') {}\n", **IGNORED},
        {
            "dist/a.d.ts": "export declare const a: any;\n",
            "tsconfig.json": '{"compilerOptions": {"strict": true, "outDir": "dist"},'
            ' "include": ["src"], "exclude": ["dist", "node_modules"]}\n',
            **IGNORED,
        },
        {"packages/b/dist/a.js": SORTER, **IGNORED},
        {"build/lib/a.py": "x = 1  # noqa\n", ".gitignore": "node_modules/\nbuild/\n"},
    ],
)
def test_what_a_build_or_a_run_left_behind_is_no_change(
    tmp_path: Path, new: dict[str, str]
) -> None:
    assert find_ids(tmp_path, new) == []


@pytest.mark.parametrize(
    "new",
    [
        {"src/a.js": "export * from '../dist/a.js';\n"},
        {"src/a.js": "module.exports = require('../dist');\n"},
        {"src/a.js": "module.exports = require(join(__dirname, '..', 'dist', 'a.js'));\n"},
        {"package.json": START["package.json"].replace('"scripts"', '"main": "dist/a", "scripts"')},
    ],
)
def test_code_that_the_rest_turns_to_counts_wherever_it_stands(
    tmp_path: Path, new: dict[str, str]
) -> None:
    ids = find_ids(tmp_path, {**HIDDEN, **new})

    assert {"suppression:dist/a.js:eslint-disable", "config:.gitignore:ignored"} <= set(ids)


def test_what_the_check_itself_runs_there_counts(tmp_path: Path) -> None:
    assert find_ids(tmp_path, HIDDEN, "node dist/a.js") == ["config:.gitignore:ignored"]


def test_code_that_went_there_counts(tmp_path: Path) -> None:
    assert "config:.gitignore:ignored" in find_ids(tmp_path, HIDDEN, without="src/a.js")


def test_a_folder_of_the_baseline_counts(tmp_path: Path) -> None:
    baseline = {**START, "dist/old.js": "x\n"}
    comparison = compare_projects(tmp_path, baseline, {**baseline, **HIDDEN}, "npm run lint")

    assert [concern.path for concern in find_concerns(comparison)] == ["dist/a.js", ".gitignore"]


def test_a_module_that_python_would_find_counts(tmp_path: Path) -> None:
    text = "import sys\nsys.exit(0)\n"
    comparison = compare_projects(
        tmp_path, START, {**START, "coverage/__init__.py": text}, "pytest --cov"
    )

    assert "coverage/__init__.py" in {concern.path for concern in find_concerns(comparison)}
