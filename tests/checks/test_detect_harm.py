"""Commands that would run forever or change files are never detected as checks."""

from pathlib import Path

import pytest

from checks.detecting import Files, commands, project, scripts
from snippets import snippet
from untildone.checks.detected_checks import detect_preset, find_rejected
from untildone.errors import UserError

ROWS = [
    ({"package.json": scripts(test="vitest")}, {"test": "npx vitest run"}),
    (
        {"package.json": scripts(test="vitest --coverage --silent")},
        {"test": "npx vitest run --coverage --silent"},
    ),
    ({"package.json": scripts(test="vitest --watch")}, {}),
    ({"package.json": scripts(test="vitest watch")}, {}),
    ({"package.json": scripts(test="vitest --config a.js run")}, {"test": "npm test"}),
    ({"package.json": scripts(test="vitest run && tsc")}, {"test": "npm test"}),
    ({"package.json": scripts(test="vitest --watch=false")}, {"test": "npm test"}),
    ({"package.json": scripts(test="jest --watch")}, {}),
    ({"package.json": scripts(test="jest --watchAll"), "cart.test.js": ""}, {}),
    ({"package.json": scripts(test="jest --watchAll=false")}, {"test": "npm test"}),
    (
        {"package.json": scripts(test="jest --watch", **{"test:ci": "jest --ci"})},
        {"test": "npm run test:ci"},
    ),
    (
        {"package.json": scripts(test="npm run test:watch", **{"test:watch": "jest --watch"})},
        {},
    ),
    ({"package.json": scripts(test="x", posttest="nodemon a.js")}, {}),
    ({"package.json": scripts(test="npm test")}, {"test": "npm test"}),
    ({"package.json": scripts(test="react-scripts test")}, {}),
    ({"package.json": scripts(test="react-scripts test --watch=false")}, {"test": "npm test"}),
    ({"package.json": scripts(test="ng test")}, {}),
    ({"package.json": scripts(test="karma start --single-run")}, {"test": "npm test"}),
    ({"package.json": scripts(build="vite")}, {}),
    ({"package.json": scripts(build="tsc -p . && vite build")}, {"build": "npm run build"}),
    ({"package.json": scripts(build="next dev")}, {}),
    ({"package.json": scripts(build="next build")}, {"build": "npm run build"}),
    ({"package.json": scripts(build="tsc -w"), "tsconfig.json": ""}, {"build": "npx tsc --noEmit"}),
    ({"package.json": scripts(build="npm run build -w shop")}, {"build": "npm run build"}),
    ({"package.json": scripts(lint="eslint --fix .")}, {"lint": "npm run lint"}),
    ({"package.json": scripts(lint="eslint --fix . && gofmt -w .")}, {}),
    (
        {"package.json": scripts(lint="eslint --fix ."), "eslint.config.js": ""},
        {"lint": "npx eslint . --max-warnings=0"},
    ),
    (
        {"package.json": scripts(lint="biome check --write", **{"lint:check": "biome check"})},
        {"lint": "npm run lint:check"},
    ),
    ({"package.json": scripts(lint="eslint --fix-dry-run .")}, {"lint": "npm run lint"}),
    ({"package.json": scripts(test="jest -u")}, {}),
    ({"Makefile": "lint:\n\truff check --fix .\n"}, {}),
    (
        {
            "Makefile": snippet("""
                lint: tidy
                \truff check .

                tidy:
                \truff format .
            """)
        },
        {},
    ),
    (
        {
            "Makefile": snippet("""
                lint: tidy
                tidy:
                \tblack --check .
            """)
        },
        {"lint": "make lint"},
    ),
    (
        {
            "Makefile": snippet("""
                test:
                \tjest --watch
                check:
                \tjest
            """)
        },
        {"test": "make check"},
    ),
    (
        {
            "Makefile": snippet("""
                shop: serve
                serve:
                \thttp-server .
            """)
        },
        {},
    ),
    ({"Makefile": "lint:\n\tgofmt -w .\n"}, {}),
    ({"Makefile": "lint:\n\tgofmt -l .\n"}, {"lint": "make lint"}),
]


@pytest.mark.parametrize(("files", "expected"), ROWS)
def test_only_what_ends_and_changes_nothing_is_found(
    tmp_path: Path, files: Files, expected: dict[str, str]
) -> None:
    assert commands(project(tmp_path, files)) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"package.json": scripts(test="jest --watch")}, {"npm test": "would run forever"}),
        (
            {"package.json": scripts(lint="gofmt -w .", **{"lint:ci": "eslint"})},
            {"npm run lint": "would change files"},
        ),
        ({"package.json": scripts(test="jest", **{"test:ci": "jest --watch"})}, {}),
        (
            {
                "Makefile": snippet("""
                    build: tidy
                    tidy:
                    \tblack .
                    test:
                    \tjest --watch
                """)
            },
            {"make build": "would change files", "make test": "would run forever"},
        ),
        ({"Makefile": "shop:\n\tnodemon .\n"}, {"make": "would run forever"}),
        (
            {"Makefile": "test:\n\tjest --watch\n", "package.json": scripts(test="jest")},
            {},
        ),
        (
            {"deno.json": '{"tasks": {"lint": "deno lint --fix"}}'},
            {"deno task lint": "would change files"},
        ),
        ({"deno.json": '{"tasks": {"lint": "deno lint"}}'}, {}),
    ],
)
def test_what_is_left_out_is_reported(
    tmp_path: Path, files: Files, expected: dict[str, str]
) -> None:
    found = find_rejected(project(tmp_path, files))

    assert {entry.command: entry.harm for entry in found} == expected


def test_a_script_that_edits_is_found_with_the_form_in_which_it_runs(tmp_path: Path) -> None:
    project(tmp_path, {"package.json": scripts(lint="eslint --fix .")})

    (check,) = detect_preset(tmp_path, "lint")

    assert check.reason == "`package.json` has a script `lint`, which runs as `eslint .`"


def test_a_preset_reports_why_nothing_was_found(tmp_path: Path) -> None:
    project(tmp_path, {"package.json": scripts(test="jest --watch", lint="eslint --fix")})

    with pytest.raises(UserError) as reported:
        detect_preset(tmp_path, "test")

    assert str(reported.value) == (
        f"no test command was found in `{tmp_path}`; `npm test` would run forever"
    )
