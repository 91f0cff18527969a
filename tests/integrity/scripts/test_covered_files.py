"""Check commands by the files they cover: other words for the same files are no concern."""

import json
import re
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.scripts import comparison as scripts

TEST = "test('a', () => {});\n"
FILES = {
    "test/a.test.js": TEST,
    "test/unit/b.test.js": TEST,
    "test/helper.js": "export const one = 1;\n",
    "src/a.js": "export const a = 1;\n",
    "lib/b.js": "export const b = 1;\n",
}


def find_ids(top: Path, old: dict[str, str], new: dict[str, str], command: str) -> list[str]:
    found = scripts.find_concerns(compare_projects(top, old, new, command))
    return [concern.id.partition("#")[0].removeprefix("config:") for concern in found]


def package(**scripts_of_it: str) -> dict[str, str]:
    return {"package.json": json.dumps({"scripts": scripts_of_it})}


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        ("node --test test/", "node --test test/*.test.js test/unit/*.test.js", True),
        ("node --test test/", "node --test 'test/**/*.test.js'", True),
        ("node --test test/", "node --test 'test/**/*.test.{js,ts}'", True),
        ("node --test", "node --test test", True),
        ("node --test test", "node --test test/*.test.js", False),
        ("node --test test", "node --test test/unit", False),
        ("node --test test", "node --test 'test/**/b.*'", False),
        ("vitest run", "vitest run test", True),
        ("vitest run", "vitest run unit", False),
        ("vitest run", "vitest run src", False),
        ("eslint src lib", "eslint '{src,lib}/**/*.js'", True),
        ("eslint src lib", "eslint src/*.js", False),
        ("eslint .", "eslint src", False),
        ("eslint src other", "eslint src", False),
        ("node --check src/a.js", "node --check src/*.js", True),
        ("node --check src/a.js", "node --check lib/b.js", False),
        ("node --test", "node --test --test-name-pattern=a test", False),
        ("jest", "c8 --reporter lcov jest", True),
        ("jest", "cross-env TZ=UTC jest", True),
        ("jest", "cross-env NODE_OPTIONS=--import=./x.js jest -t a", False),
        ("go test ./...", "gotestsum --format dots -- -race ./...", True),
        ("go test ./...", "gotestsum", True),
        ("go test ./...", "gotestsum --packages=./a", False),
        ("go test ./...", "gotestsum --rerun-fails -- ./...", False),
        ("jest", "c8 echo jest", False),
        ("node --test test/", "tsx --test test/*.test.js test/unit/*.test.js", True),
        ("go test ./...", "gotestsum -- -run Fast ./...", False),
    ],
)
def test_a_call_may_name_the_same_files_in_other_words(
    tmp_path: Path, before: str, now: str, kept: bool
) -> None:
    old, new = ({**FILES, **package(test=each)} for each in (before, now))

    assert (find_ids(tmp_path, old, new, "npm test") == []) is kept


@pytest.mark.parametrize(
    ("now", "kept"),
    [
        ("npm run unit && npm run rest", True),
        ("run-s unit rest", True),
        ("npm-run-all 'r*' unit", True),
        ("concurrently npm:unit npm:rest", True),
        ("concurrently 'node --test test/unit' npm:rest", True),
        ("npm run unit", False),
        ("run-s unit", False),
        ("run-p --race unit rest", False),
        ("concurrently -s first npm:unit npm:rest", False),
        ("npm run unit; npm run rest", False),
        ("npm run unit && npm run rest || true", False),
    ],
)
def test_several_calls_may_cover_what_one_did(tmp_path: Path, now: str, kept: bool) -> None:
    parts = {"unit": "node --test test/unit", "rest": "node --test 'test/*.test.js'"}
    old = {**FILES, **package(test="node --test test")}
    new = {**FILES, **package(test=now, **parts)}

    assert (find_ids(tmp_path, old, new, "npm test") == []) is kept


@pytest.mark.parametrize(
    ("arrived", "now", "kept"),
    [
        ({"spec/a.test.js": TEST}, "node --test spec", True),
        ({"spec/a.test.js": TEST, "spec/b.test.js": TEST}, "node --test spec/b.test.js", False),
        ({"spec/a.test.js": TEST}, "node --test other", False),
    ],
)
def test_moved_tests_have_to_be_covered_at_their_new_place(
    tmp_path: Path, arrived: dict[str, str], now: str, kept: bool
) -> None:
    old = {"test/a.test.js": TEST, **package(test="node --test test")}

    found = find_ids(tmp_path, old, {**arrived, **package(test=now)}, "npm test")
    assert (found == []) is kept


LOOP = """\
#!/bin/sh
set -e
sh tests/a.sh
sh tests/b.sh
"""
SHELL = {"tests/a.sh": "[ 1 = 1 ]\n", "tests/b.sh": "sh bin/tool.sh | grep -q x\n"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            snippet("""
                set -e
                for each in tests/*.sh; do
                  sh "$each"
                done
            """),
            True,
        ),
        ("set -e\nfor each in tests/a.sh tests/b.sh; do sh $each; done\n", True),
        ('for each in tests/*.sh; do sh "$each" || exit 1; done\n', True),
        (
            snippet("""
                bad=0
                for each in tests/*.sh; do
                  sh $each || bad=1
                done
                exit $bad
            """),
            True,
        ),
        (
            snippet("""
                bad=0
                sh tests/a.sh || bad=1
                sh tests/b.sh || bad=$?
                exit "$bad"
            """),
            True,
        ),
        (
            snippet("""
                here=$(dirname "$0")
                set -e
                sh "$here/all.sh"
            """),
            True,
        ),
        ('for each in tests/*.sh; do sh "$each"; done\n', False),
        ("set -e\nfor each in tests/a.sh; do sh $each; done\n", False),
        ("set -e\nfor each in $CHOSEN; do sh $each; done\n", False),
        ("set -e\nfor each in tests/*.sh; do sh -n $each; done\n", False),
        (
            snippet("""
                bad=0
                sh tests/a.sh || bad=1
                sh tests/b.sh || bad=1
                exit 0
            """),
            False,
        ),
        (
            snippet("""
                sh tests/a.sh || bad=1
                sh tests/b.sh || bad=1
                bad=0
                exit $bad
            """),
            False,
        ),
        ("for each in tests/*.sh; do bad=0; sh $each || bad=1; done\nexit $bad\n", False),
        (
            snippet("""
                bad=0
                sh tests/a.sh || bad=1
                sh tests/b.sh || worse=1
                exit $bad
            """),
            False,
        ),
    ],
)
def test_a_shell_loop_runs_the_words_it_lists(tmp_path: Path, text: str, kept: bool) -> None:
    inner = {"ci/all.sh": "set -e\nfor each in tests/*.sh; do sh $each; done\n"}
    old, new = ({**SHELL, **inner, "ci/check.sh": each} for each in (LOOP, text))

    assert (find_ids(tmp_path, old, new, "sh ci/check.sh") == []) is kept


def test_the_program_that_a_shell_test_runs_is_the_product(tmp_path: Path) -> None:
    old = {**SHELL, "ci/check.sh": LOOP, "bin/tool.sh": "tr A-Z a-z\n"}
    comparison = compare_projects(
        tmp_path, old, {**old, "bin/tool.sh": "exit 0\n"}, "sh ci/check.sh"
    )

    assert (list(scripts.find_concerns(comparison)), comparison.role("bin/tool.sh")) == (
        [],
        "product",
    )


def test_a_check_that_a_shell_test_runs_is_followed(tmp_path: Path) -> None:
    old = {"tests/all.sh": "set -e\nsh scripts/style.sh\n", "scripts/style.sh": "eslint .\n"}
    new = {**old, "scripts/style.sh": "eslint . || true\n"}

    assert find_ids(tmp_path, old, new, "sh tests/all.sh") == ["scripts/style.sh:eslint"]


def test_a_tool_that_a_shell_test_runs_has_to_decide(tmp_path: Path) -> None:
    old = {
        "tests/all.sh": snippet("""
            set -e
            grep -q x README
            pytest -q
        """)
    }
    new = {"tests/all.sh": "set -e\npytest -q || true\n"}

    assert find_ids(tmp_path, old, new, "sh tests/all.sh") == ["tests/all.sh:pytest"]


def test_a_script_that_is_parsed_and_run_is_followed(tmp_path: Path) -> None:
    old = {
        "ci/check.sh": snippet("""
            set -e
            sh -n bin/x.sh
            bin/x.sh
        """),
        "bin/x.sh": "#!/bin/sh\npytest\n",
    }
    comparison = compare_projects(
        tmp_path, old, {**old, "bin/x.sh": "#!/bin/sh\ntrue\n"}, "sh ci/check.sh"
    )

    assert (len(list(scripts.find_concerns(comparison))), comparison.role("bin/x.sh")) == (
        1,
        "script",
    )


def test_a_script_that_is_only_parsed_is_not_followed(tmp_path: Path) -> None:
    old = {
        "ci/check.sh": snippet("""
            set -e
            sh -n bin/tool.sh
            pytest
        """),
        "bin/tool.sh": "tr A-Z a-z\n",
    }
    comparison = compare_projects(
        tmp_path, old, {**old, "bin/tool.sh": "exit 0\n"}, "sh ci/check.sh"
    )

    assert (list(scripts.find_concerns(comparison)), comparison.role("bin/tool.sh")) == (
        [],
        "product",
    )


PARTS = {"api/Makefile": "check:\n\tgo test ./...\n", "web/Makefile": "check:\n\tnpm test\n"}
BOTH = """\
check:
\tcd api && go test ./...
\tcd web && npm test
"""
SOURCES = "check:\n\tnode --check src/a.js\n"


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        (
            BOTH,
            snippet("""
                P := api web
                check: $(P)
                $(P):
                \t$(MAKE) -C $@ check
                .PHONY: $(P)
            """),
            True,
        ),
        (
            BOTH,
            snippet("""
                P := api
                check: $(P)
                $(P):
                \t$(MAKE) -C $@ check
                .PHONY: $(P)
            """),
            False,
        ),
        (
            BOTH,
            snippet("""
                P := api web
                check: $(P)
                $(P):
                \t-$(MAKE) -C $@ check
                .PHONY: $(P)
            """),
            False,
        ),
        (
            SOURCES,
            snippet("""
                .SHELLFLAGS := -ec
                S := $(wildcard src/*.js)
                check:
                \tfor f in $(S); do node --check $$f; done
            """),
            True,
        ),
        (
            SOURCES,
            snippet("""
                S := $(wildcard src/*.js)
                check:
                \tfor f in $(S); do node --check $$f; done
            """),
            False,
        ),
        (SOURCES, "check: src/a.js\n\tnode --check $<\n", True),
        (SOURCES, "check: src/a.js lib/b.js\n\tnode --check $^\n", True),
        (SOURCES, "check: lib/b.js src/a.js\n\tnode --check $<\n", False),
    ],
)
def test_variables_of_a_rule_are_filled_in(
    tmp_path: Path, before: str, now: str, kept: bool
) -> None:
    common = {**FILES, **PARTS}
    old, new = ({**common, "Makefile": each} for each in (before, now))

    assert (find_ids(tmp_path, old, new, "make check") == []) is kept


FLOW = """\
on: push
jobs:
  a:
    steps:
      - run: jest
      - run: eslint .
"""


@pytest.mark.parametrize(
    ("new", "kept"),
    [
        (
            {
                "lint.yml": FLOW.replace("jest", "true"),
                "test.yml": FLOW.replace("eslint .", "true"),
            },
            True,
        ),
        ({"lint.yml": FLOW.replace("jest", "true")}, False),
        ({"lint.yml": FLOW.replace("on: push", "on: workflow_dispatch")}, False),
        ({"lint.yml": FLOW + "        continue-on-error: true\n"}, False),
    ],
)
def test_steps_may_move_to_another_workflow(
    tmp_path: Path, new: dict[str, str], kept: bool
) -> None:
    folder = ".github/workflows"
    now = {f"{folder}/{name}": text for name, text in new.items()}

    assert (find_ids(tmp_path, {f"{folder}/ci.yml": FLOW}, now, "true") == []) is kept


@pytest.mark.parametrize("command", ["node test/a.test.js", "node --test test/a.test.js"])
def test_a_test_that_a_command_names_is_compared_as_a_test(tmp_path: Path, command: str) -> None:
    new = {**FILES, "test/a.test.js": TEST + "test('b', () => {});\n"}
    comparison = compare_projects(tmp_path, FILES, new, command)

    assert (list(scripts.find_concerns(comparison)), comparison.role("test/a.test.js")) == (
        [],
        "test",
    )


STATS = """\
set -eu
sh bin/stats.sh in.csv > build/out.txt
diff expected/stats.txt build/out.txt
"""
PIPED = "set -eu\nbin/stats.sh data.csv | cmp - expected/stats.txt\n"


@pytest.mark.parametrize("script", [STATS, PIPED])
def test_a_program_whose_output_is_compared_is_the_product(tmp_path: Path, script: str) -> None:
    old = {
        "ci/check.sh": script,
        "bin/stats.sh": "#!/bin/sh\nawk '{ print $1 }' \"$1\"\n",
        "expected/stats.txt": "a\n",
    }
    new = {**old, "bin/stats.sh": '#!/bin/sh\nsort -u "$1"\n', "build/out.txt": "a\n"}
    comparison = compare_projects(tmp_path, old, new, "sh ci/check.sh")

    assert [comparison.role(path) for path in ("bin/stats.sh", "build/out.txt")] == [
        "product",
        "document",
    ]
    assert list(scripts.find_concerns(comparison)) == []


@pytest.mark.parametrize(
    "script",
    [
        "set -eu\nsh bin/all.sh\n",
        snippet("""
            set -eu
            sh bin/all.sh > all.log
            cat all.log
        """),
        "set -eu\nsh bin/all.sh | grep -q passed\n",
        snippet("""
            set -eu
            sh bin/check-all.sh > out.txt
            diff expected.txt out.txt
        """),
    ],
)
def test_a_script_whose_exit_status_counts_is_compared(tmp_path: Path, script: str) -> None:
    inner = dict.fromkeys(("bin/all.sh", "bin/check-all.sh"), "#!/bin/sh\npytest -q\n")
    old = {"ci/check.sh": script, **inner}
    called = re.findall(r"bin/\S+", script)[0]
    comparison = compare_projects(
        tmp_path, old, {**old, called: "#!/bin/sh\necho 1 passed\n"}, "sh ci/check.sh"
    )

    assert comparison.role(called) == "script"
