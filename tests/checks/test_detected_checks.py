"""Commands detected from the files of a project."""

import os
import re
import shutil
import time
from pathlib import Path

import pytest

from checks.detecting import Files, commands, package, project, scripts
from snippets import snippet
from untildone.checks.detected_checks import PRESETS, detect_checks, detect_preset
from untildone.errors import UserError

PYTEST = "pytest" if shutil.which("pytest") else "python -m pytest"
PYTHON = "python3" if shutil.which("python3") and not shutil.which("python") else "python"
IMPORTS_UNITTEST = "import unittest\n"
CMAKE = "cmake -S . -B {0} && cmake --build {0}"
CTEST = "ctest --test-dir {} --output-on-failure"


NODE = [
    ({"package.json": scripts(build="x")}, {"build": "npm run build"}),
    ({"package.json": scripts(test="x")}, {"test": "npm test"}),
    ({"package.json": scripts(lint="x")}, {"lint": "npm run lint"}),
    ({"package.json": scripts(typecheck="x")}, {"build": "npm run typecheck"}),
    (
        {"package.json": scripts(build="x", typecheck="y")},
        {"build:npm": "npm run build", "build:typecheck": "npm run typecheck"},
    ),
    ({"package.json": scripts(test="x"), "pnpm-lock.yaml": ""}, {"test": "pnpm test"}),
    ({"package.json": scripts(test="x"), "yarn.lock": ""}, {"test": "yarn test"}),
    ({"package.json": scripts(test="x"), "bun.lock": ""}, {"test": "bun run test"}),
    ({"package.json": scripts(test="x"), "bun.lockb": ""}, {"test": "bun run test"}),
    ({"package.json": scripts(test="x"), "package-lock.json": ""}, {"test": "npm test"}),
    (
        {
            "package.json": package(scripts={"build": "x"}, packageManager="pnpm@9.1.0"),
            "yarn.lock": "",
        },
        {"build": "pnpm run build"},
    ),
    (
        {"package.json": package(scripts={"test": "x"}, packageManager="own@1")},
        {"test": "npm test"},
    ),
    ({"package.json": scripts(test='echo "Error: no test specified" && exit 1')}, {}),
    ({"package.json": package(scripts={"test": 3, "build": " "})}, {}),
    ({"package.json": package(scripts=["test"])}, {}),
    ({"tsconfig.json": "{}"}, {"build": "npx tsc --noEmit"}),
    ({"tsconfig.json": "{}", "package.json": scripts(build="x")}, {"build": "npm run build"}),
    ({".eslintrc.json": "{}"}, {"lint": "npx eslint . --max-warnings=0"}),
    ({"eslint.config.mjs": ""}, {"lint": "npx eslint . --max-warnings=0"}),
    ({"package.json": package(eslintConfig={})}, {"lint": "npx eslint . --max-warnings=0"}),
    ({".prettierrc": "{}"}, {"lint": "npx prettier --check ."}),
    ({"biome.json": "{}"}, {"lint": "npx biome check ."}),
    (
        {".eslintrc": "{}", ".prettierrc.yaml": ""},
        {
            "lint:eslint": "npx eslint . --max-warnings=0",
            "lint:prettier": "npx prettier --check .",
        },
    ),
    ({".eslintrc": "{}", "package.json": scripts(lint="x")}, {"lint": "npm run lint"}),
    ({"src/cart.test.js": ""}, {"test": "node --test"}),
    ({"cart.test.mjs": ""}, {"test": "node --test"}),
    ({"cart.test.js": "", "package.json": scripts(test="x")}, {"test": "npm test"}),
    ({"node_modules/x/a.test.js": "", ".cache/a.test.js": ""}, {}),
    ({"package.json": package(devDependencies={"vitest": "4"})}, {"test": "npx vitest run"}),
    ({"package.json": package(devDependencies={"jest": "30"})}, {"test": "npx jest"}),
    ({"package.json": package(dependencies={"mocha": "12"})}, {"test": "npx mocha"}),
    ({"cart.test.ts": "", "bun.lock": ""}, {"test": "bun test"}),
    ({"deno.json": "{}"}, {"lint": "deno lint"}),
    ({"deno.jsonc": "// mine\n{}", "cart_test.ts": ""}, {"test": "deno test", "lint": "deno lint"}),
    (
        {"deno.json": package(tasks={"build": "x", "test": {"command": "y"}, "lint": 3})},
        {"build": "deno task build", "test": "deno task test", "lint": "deno lint"},
    ),
    (
        {"deno.json": package(tasks={"test": "deno test --watch"}), "a_test.ts": ""},
        {"lint": "deno lint"},
    ),
]
PYTHON_ROWS = [
    ({"pytest.ini": ""}, {"test": PYTEST}),
    ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, {"test": PYTEST}),
    ({"pyproject.toml": "[tool.pytest]\n"}, {"test": PYTEST}),
    ({"tox.ini": "[pytest]\n"}, {"test": PYTEST}),
    ({"tox.ini": "[tox]\n"}, {}),
    ({"setup.cfg": "[tool:pytest]\n"}, {"test": PYTEST}),
    ({"conftest.py": ""}, {"test": PYTEST}),
    ({"tests/conftest.py": ""}, {"test": PYTEST}),
    ({"tests/test_cart.py": "def test_a(): pass\n"}, {"test": PYTEST}),
    ({"tests/test_cart.py": "import pytest\nimport unittest\n"}, {"test": PYTEST}),
    ({"requirements-dev.txt": "pytest>=8\n", "test_a.py": IMPORTS_UNITTEST}, {"test": PYTEST}),
    ({"requirements.txt": "pytest-cov\n"}, {}),
    (
        {
            "pyproject.toml": '[dependency-groups]\ndev = ["pytest>=8"]\n',
            "test_a.py": IMPORTS_UNITTEST,
        },
        {"test": PYTEST},
    ),
    ({"pyproject.toml": "[project]\n"}, {"test": PYTEST}),
    ({"test_cart.py": IMPORTS_UNITTEST}, {"test": f"{PYTHON} -m unittest discover"}),
    (
        {"tests/test_cart.py": "from unittest import TestCase\n"},
        {"test": f"{PYTHON} -m unittest discover -s tests"},
    ),
    (
        {"tests/test_cart.py": IMPORTS_UNITTEST, "tests/__init__.py": ""},
        {"test": f"{PYTHON} -m unittest discover"},
    ),
    ({".venv/bin/python": "", "pytest.ini": ""}, {"test": PYTEST}),
    (
        {
            ".venv/bin/python": "",
            ".venv/lib/python3.12/site-packages/pytest/__init__.py": "",
            "pytest.ini": "",
        },
        {"test": ".venv/bin/python -m pytest"},
    ),
    (
        {".venv/bin/python": "", "test_cart.py": IMPORTS_UNITTEST},
        {"test": ".venv/bin/python -m unittest discover"},
    ),
    ({"ruff.toml": ""}, {"lint": "ruff check ."}),
    ({".ruff.toml": "[lint]\n"}, {"lint": "ruff check ."}),
    ({"ruff.toml": "", ".venv/bin/ruff": ""}, {"lint": ".venv/bin/ruff check ."}),
    (
        {"ruff.toml": "[format]\n"},
        {"lint:ruff": "ruff check .", "lint:ruff-format": "ruff format --check ."},
    ),
    ({"pyproject.toml": "[tool.ruff]\n"}, {"test": PYTEST, "lint": "ruff check ."}),
    (
        {"pyproject.toml": "[tool.ruff.format]\n"},
        {
            "test": PYTEST,
            "lint:ruff": "ruff check .",
            "lint:ruff-format": "ruff format --check .",
        },
    ),
    ({"pyproject.toml": "[tool.black]\n"}, {"test": PYTEST, "lint": "black --check ."}),
    ({"pyproject.toml": "[tool.mypy]\n"}, {"test": PYTEST, "lint": "mypy ."}),
    ({"pyproject.toml": "[tool.mypy]\nfiles = 'a'\n"}, {"test": PYTEST, "lint": "mypy"}),
    ({"mypy.ini": "[mypy]\n"}, {"lint": "mypy ."}),
    ({"setup.cfg": "[mypy]\nfiles = shop\n"}, {"lint": "mypy"}),
    ({"setup.cfg": "[metadata]\n"}, {}),
    ({"pyrightconfig.json": "{}"}, {"lint": "pyright"}),
    ({"pyproject.toml": "[tool.basedpyright]\n"}, {"test": PYTEST, "lint": "basedpyright"}),
    ({"ty.toml": "", ".venv/bin/ty": ""}, {"lint": ".venv/bin/ty check"}),
    ({"tox.ini": "[testenv]\n"}, {"test": "tox"}),
    ({"pyproject.toml": "[tool.tox]\n"}, {"test": "tox"}),
    ({"tox.ini": "[testenv]\ncommands = pytest\n"}, {"test": PYTEST}),
    ({"noxfile.py": "@nox.session\ndef tests(session):\n"}, {"test": "nox -s tests"}),
    ({"noxfile.py": "@nox.session\ndef docs(session):\n"}, {}),
]
OTHERS = [
    ({"Cargo.toml": ""}, {"build": "cargo build", "test": "cargo test"}),
    (
        {"Cargo.toml": "", "rustfmt.toml": ""},
        {"build": "cargo build", "test": "cargo test", "lint": "cargo fmt --check"},
    ),
    (
        {"Cargo.toml": "", ".rustfmt.toml": "", "clippy.toml": ""},
        {
            "build": "cargo build",
            "test": "cargo test",
            "lint:fmt": "cargo fmt --check",
            "lint:clippy": "cargo clippy -- -D warnings",
        },
    ),
    (
        {"go.mod": ""},
        {"build": "go build ./...", "test": "go test ./...", "lint": "go vet ./..."},
    ),
    (
        {
            "go.work": snippet("""
                go 1.22

                use (
                \t./api // the server
                \t./gone
                )
                use ./cli
            """)
        }
        | {"api/go.mod": "", "cli/go.mod": ""},
        {
            "build": "go build ./api/... ./cli/...",
            "test": "go test ./api/... ./cli/...",
            "lint": "go vet ./api/... ./cli/...",
        },
    ),
    (
        {"go.work": "use .\nuse ./cli\n", "go.mod": "", "cli/go.mod": ""},
        {
            "build": "go build ./... ./cli/...",
            "test": "go test ./... ./cli/...",
            "lint": "go vet ./... ./cli/...",
        },
    ),
    ({"go.work": "use ./cli\n"}, {}),
    ({"Makefile": "build:\n\ttrue\n"}, {"build": "make build"}),
    ({"Makefile": "run:\n\ttrue\nall: run\n"}, {"build": "make all"}),
    (
        {
            "Makefile": snippet("""
                CC := gcc
                .PHONY: shop
                shop: a.o
            """)
        },
        {"build": "make"},
    ),
    ({"Makefile": "help:\n\ttrue\ntest lint:\n"}, {"test": "make test", "lint": "make lint"}),
    ({"makefile": "check::\n\ttrue\n"}, {"test": "make check"}),
    ({"Makefile": "X = 1\n"}, {}),
    (
        {"Makefile": "build:\ntest:\nlint:\n", "package.json": scripts(test="x")},
        {"build": "make build", "test": "npm test", "lint": "make lint"},
    ),
    (
        {"package.json": scripts(test="x"), "pytest.ini": ""},
        {"test:npm": "npm test", "test:pytest": PYTEST},
    ),
    ({"README.md": ""}, {}),
    ({"pom.xml": ""}, {"build": "mvn -B test-compile", "test": "mvn -B test"}),
    (
        {"build.gradle.kts": ""},
        {
            "build": "gradle --no-daemon classes testClasses",
            "test": "gradle --no-daemon test",
        },
    ),
    ({"CMakeLists.txt": "project(shop)\n"}, {"build": CMAKE.format("build")}),
    (
        {"CMakeLists.txt": "include( CTest )\n", "Makefile": "all test lint:\n"},
        {
            "build": CMAKE.format("build"),
            "test": f"{CMAKE.format('build')} && {CTEST.format('build')}",
            "lint": "make lint",
        },
    ),
    (
        {"CMakeLists.txt": "", "build/kept.txt": ""},
        {"build": CMAKE.format("cmake-build")},
    ),
    (
        {"CMakeLists.txt": "", "build/kept.txt": "", "out/CMakeCache.txt": ""},
        {"build": CMAKE.format("out")},
    ),
]


@pytest.mark.parametrize(("files", "expected"), [*NODE, *PYTHON_ROWS, *OTHERS])
def test_files_speak_for_commands(tmp_path: Path, files: Files, expected: dict[str, str]) -> None:
    assert commands(project(tmp_path, files)) == expected


@pytest.mark.skipif(os.name == "nt", reason="the wrappers there are others")
@pytest.mark.parametrize(
    ("wrapper", "mode", "command"),
    [
        ("mvnw", 0o755, "./mvnw -B test"),
        ("mvnw", 0o644, "sh mvnw -B test"),
        ("gradlew", 0o755, "./gradlew --no-daemon test"),
    ],
)
def test_a_wrapper_comes_first(tmp_path: Path, wrapper: str, mode: int, command: str) -> None:
    build = "pom.xml" if wrapper == "mvnw" else "build.gradle"
    project(tmp_path, {build: "", wrapper: ""}).joinpath(wrapper).chmod(mode)
    assert commands(tmp_path)["test"] == command


@pytest.mark.parametrize(
    ("lock", "runner", "words"),
    [
        ("uv.lock", "uv", "uv run --frozen"),
        ("poetry.lock", "poetry", "poetry run"),
        ("pdm.lock", "pdm", "pdm run"),
        ("Pipfile.lock", "pipenv", "pipenv run"),
    ],
)
def test_a_locked_project_runs_by_its_runner_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lock: str, runner: str, words: str
) -> None:
    folder = project(tmp_path / "shop", {lock: "", "pytest.ini": "", "ruff.toml": ""})
    program = project(tmp_path, {f"bin/{runner}": "", f"bin/{runner}.exe": ""}) / "bin" / runner
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    without = commands(folder)
    monkeypatch.setenv("PATH", str(program.parent))

    assert without == {"test": "python -m pytest", "lint": "ruff check ."}
    assert commands(folder) == {"test": f"{words} pytest", "lint": f"{words} ruff check ."}


def test_npx_is_not_to_fetch_what_is_not_installed(tmp_path: Path) -> None:
    folder = project(tmp_path, {"tsconfig.json": "{}", "biome.json": "{}"})
    found = [check for checks in detect_checks(folder).values() for check in checks]
    assert [check.env for check in found] == [{"npm_config_yes": "false"}] * 2


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"package.json": scripts(test="x")}, "`package.json` has a script `test`"),
        ({"pyproject.toml": "[tool.pytest]"}, "`pytest` is configured in `pyproject.toml`"),
        ({"setup.cfg": "[tool:pytest]"}, "`pytest` is configured in `setup.cfg`"),
        ({"conftest.py": ""}, "`conftest.py` belongs to `pytest`"),
        ({"setup.py": "tests_require=['pytest']"}, "`setup.py` names `pytest`"),
        ({"a/test_a.py": "import unittest"}, "`a/test_a.py` imports `unittest`"),
        ({"go.mod": ""}, "`go.mod` makes it a Go module"),
        ({"Makefile": "check:"}, "`Makefile` has a target `check`"),
        ({"pom.xml": ""}, "`pom.xml` makes it a Maven project"),
        ({"settings.gradle": ""}, "`settings.gradle` makes it a Gradle project"),
        ({"CMakeLists.txt": "enable_testing()"}, "`CMakeLists.txt` enables testing"),
        ({"tox.ini": "[testenv]"}, "`tox` is configured in `tox.ini`"),
        (
            {"package.json": scripts(test="vitest")},
            "`package.json` has a script `test`, which would watch",
        ),
    ],
)
def test_the_reason_names_the_file(tmp_path: Path, files: Files, reason: str) -> None:
    (check,) = detect_checks(project(tmp_path, files))["test"]
    assert check.reason == reason


def test_a_preset_takes_the_checks_of_its_aspects(tmp_path: Path) -> None:
    folder = project(tmp_path, {"go.mod": ""})
    assert {name: [check.name for check in detect_preset(folder, name)] for name in PRESETS} == {
        "build": ["build"],
        "test": ["test"],
        "lint": ["lint"],
        "ship": ["build", "test", "lint"],
    }


def test_ship_is_content_with_what_exists(tmp_path: Path) -> None:
    folder = project(tmp_path, {"package.json": scripts(test="x")})
    assert [check.command for check in detect_preset(folder, "ship")] == ["npm test"]


@pytest.mark.parametrize(("preset", "wanted"), [("test", "test"), ("ship", "build, test or lint")])
def test_nothing_found_asks_for_the_command(tmp_path: Path, preset: str, wanted: str) -> None:
    with pytest.raises(UserError) as raised:
        detect_preset(tmp_path, preset)
    assert raised.value.message == f"no {wanted} command was found in `{tmp_path}`"
    assert raised.value.hint == (
        f'name it: `untildone start --preset {preset} --check "YOUR COMMAND"`'
    )


def test_an_unknown_preset_is_reported_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        detect_preset(tmp_path, "polish")
    assert raised.value.hint == "use one of `build`, `test`, `lint`, `ship`"


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("package.json", '{\n  "scripts": {,}\n}', "line 2, column 15: expecting property name"),
        ("package.json", "[]", "line 1, column 1: an object is expected"),
        ("package.json", "[" * 100_000, "line 1, column 1: nested too deeply"),
        ("package.json", '{"a": 1', "line 1, column 8: expecting ',' delimiter"),
        ("pyproject.toml", "[project]\nname =\n", "line 2, column 7: invalid value"),
        ("pyproject.toml", 'a = "b"\nc = "d', "line 2, column 7: unterminated string"),
        ("pyproject.toml", "a = " + "[" * 100_000, "line 1, column 1: nested too deeply"),
        ("ruff.toml", "x", "line 1, column 2: expected '=' after a key"),
    ],
)
def test_a_broken_file_is_reported_with_line_and_column(
    tmp_path: Path, name: str, text: str, place: str
) -> None:
    project(tmp_path, {name: text})
    with pytest.raises(UserError) as raised:
        detect_checks(tmp_path)
    assert raised.value.message.startswith(f"`{tmp_path / name}` is broken at {place}")
    assert re.fullmatch(rf"fix line \d+ of `{name}`", raised.value.hint)


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need a right there")
def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    tmp_path.joinpath("package.json").symlink_to("package.json")
    with pytest.raises(UserError, match=r"package.json` cannot be read: too many levels"):
        detect_checks(tmp_path)


def test_a_folder_named_like_a_file_is_no_file(tmp_path: Path) -> None:
    for name in ("package.json", "pyproject.toml", "Makefile", "Cargo.toml"):
        tmp_path.joinpath(name).mkdir()
    assert commands(tmp_path) == {}


def test_nothing_is_executed_to_find_out(tmp_path: Path) -> None:
    witness = tmp_path / "executed"
    script = f"#!/bin/sh\ntouch '{witness}'\n"
    files = {
        ".venv/bin/python": script,
        ".venv/bin/ruff": script,
        "conftest.py": f"open({str(witness)!r}, 'w')\n",
        "Makefile": f"X := $(shell touch '{witness}')\nbuild:\n",
        "ruff.toml": "",
    }
    for name in (".venv/bin/python", ".venv/bin/ruff"):
        project(tmp_path, files).joinpath(name).chmod(0o755)
    detect_checks(tmp_path)
    assert not witness.exists()


def test_files_too_deep_below_are_not_looked_for(tmp_path: Path) -> None:
    for number in range(8):
        tmp_path = tmp_path / f"level{number}"
    project(tmp_path, {"a.test.js": ""})
    assert commands(tmp_path.parents[6]) == {}


def test_a_huge_folder_is_not_searched_to_the_end(tmp_path: Path) -> None:
    for number in range(20_001):
        tmp_path.joinpath(str(number)).touch()
    project(tmp_path, {"web/a.test.js": ""})
    assert commands(tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test_a.py", "\n" * 300_000),
        ("go.work", "\n" * 300_000),
        ("CMakeLists.txt", "\n" * 300_000),
        ("Makefile", "a" + " " * 300_000),
    ],
)
def test_files_of_blanks_are_looked_at_in_linear_time(tmp_path: Path, name: str, text: str) -> None:
    project(tmp_path, {name: text})
    started = time.monotonic()
    detect_checks(tmp_path)
    assert time.monotonic() - started < 60
