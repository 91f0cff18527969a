"""The calls that decide a check: a weaker script is a concern, a better one is none."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.core.concerns import is_allowed
from untildone.integrity.scripts import comparison as scripts

CHECK = """\
#!/bin/sh
set -eu
python -m pytest -q
"""
MAKEFILE = """check: lint test

lint:
\truff check .

test:
\tpython -m pytest -q

.PHONY: check lint test
"""
JUST = {"tests/test_a.py": "", "src/a.py": ""}


def find_ids(top: Path, old: dict[str, str], new: dict[str, str], command: str) -> list[str]:
    found = scripts.find_concerns(compare_projects(top, {**JUST, **old}, {**JUST, **new}, command))
    return [concern.id.partition("#")[0].removeprefix("config:") for concern in found]


@pytest.mark.parametrize(
    "text",
    [
        CHECK.replace("-q", "-q || true"),
        CHECK.replace("-q", "-q || :"),
        CHECK.replace("-q", "-q || echo failed"),
        CHECK.replace("-q", "-q || exit 0"),
        CHECK.replace("-q", "-q &"),
        CHECK.replace("-q", "-q >/dev/null 2>&1 & wait"),
        CHECK.replace("-q", "-q | tee log"),
        CHECK.replace("-q", "-q 2>&1 | tail -3"),
        CHECK.replace("set -eu\n", "set -eu\ntrap 'exit 0' EXIT\n"),
        CHECK.replace("set -eu\n", "set -eu\nexit 0\n"),
        CHECK.replace("set -eu\n", "") + "echo done\n",
        CHECK.replace("set -eu\n", "") + "exit 0\n",
        CHECK.replace("set -eu\n", "set -eu\nset +e\n") + "true\n",
        CHECK.replace("python -m", "! python -m"),
        CHECK.replace("python -m pytest -q", "echo ok"),
        CHECK.replace(
            "python -m pytest -q",
            snippet("""
                if [ -n "$SLOW" ]; then
                  python -m pytest -q
                fi"""),
        ),
        CHECK.replace("python -m pytest -q", "if python -m pytest -q; then echo ok; fi"),
        CHECK.replace("-q", "-q tests/test_a.py"),
        CHECK.replace("-q", "-q -k 'not slow'"),
        CHECK.replace("-q", "-q --deselect tests/test_a.py"),
        CHECK.replace("-q", "-q --co"),
        CHECK.replace("-q", "-q -p quiet"),
        CHECK.replace("python -m pytest", "PYTEST_ADDOPTS='-k a' python -m pytest"),
        CHECK.replace("python -m pytest -q", "sh -c 'python -m pytest -q; true'"),
        CHECK.replace("python -m pytest -q", "run() { python -m pytest -q || true; }\nrun"),
        CHECK.replace("python", 'step() { "$@" || true; }\nstep python'),
        CHECK.replace("python", 'step() { "$@" | tee log; }\nstep python'),
        CHECK.replace("python", 'step() { echo "$@"; }\nstep python'),
        CHECK.replace("python", 'step() { step "$@"; }\nstep python'),
        CHECK.replace(
            "python -m pytest",
            snippet("""
                main() { unit; }
                unit() { pytest || true; }
                main"""),
        ),
        CHECK.replace("python -m", '"${PYTHON:-true}" -m'),
        CHECK.replace("python -m", 'PYTHON=${PYTHON:-true}\n"$PYTHON" -m'),
        CHECK.replace("python -m pytest -q", 'args=(-q -k fast)\npytest "${args[@]}"'),
        CHECK.replace("python -m pytest -q", 'args=(-q)\nargs+=(-k fast)\npytest "${args[@]}"'),
        CHECK.replace("python -m pytest -q", 'unit() { pytest "$@"; }\nunit -q -k fast'),
        CHECK.replace("python -m pytest -q", 'tool() { "$1" pytest -q; }\ntool echo'),
        CHECK.replace("python -m", "python -O -m"),
        CHECK.replace("python -m", "python -W ignore -m"),
        CHECK.replace("python -m pytest -q", "step() { \"$@\"; }\nstep sh -c 'pytest -q; true'"),
        CHECK.replace("python -m pytest -q", 'runner=true\n"$runner" -q'),
        CHECK.replace(
            "python -m pytest -q",
            snippet("""
                runner=pytest
                runner=true
                $runner -q"""),
        ),
        CHECK.replace("-q", "$what").replace("set -eu", "set -eu\nwhat='-k fast'\n"),
        "#!/bin/sh\n",
    ],
)
def test_a_script_that_forgives_or_checks_less_is_a_concern(tmp_path: Path, text: str) -> None:
    found = find_ids(tmp_path, {"ci/check.sh": CHECK}, {"ci/check.sh": text}, "sh ci/check.sh")

    assert found == ["ci/check.sh:pytest"]


@pytest.mark.parametrize(
    "text",
    [
        CHECK + "# all of them\n",
        CHECK.replace("-q", "-q --color=no -ra"),
        CHECK.replace("-q", "-q --junitxml=report.xml"),
        CHECK.replace("-q", "'-q'"),
        CHECK.replace("-q", "-q -x"),
        CHECK.replace(" -q", ""),
        CHECK.replace("python -m pytest", "pytest"),
        CHECK.replace("python -m pytest", "uv run pytest"),
        CHECK.replace("python -m pytest", "CI=1 python3 -m pytest"),
        CHECK + "ruff check .\n",
        CHECK.replace(
            "set -eu",
            snippet("""
                set -eu
                export TZ=UTC
                trap 'rm -f x' EXIT"""),
        ),
        CHECK.replace("set -eu", "set -euo pipefail").replace("-q", "-q | tee log"),
        CHECK.replace(
            "python -m pytest -q",
            snippet("""
                if ! python -m pytest -q; then
                  echo no
                  exit 1
                fi"""),
        ),
        CHECK.replace("python -m pytest -q", "python -m pytest -q || { echo no; exit 1; }"),
        CHECK.replace("python -m pytest -q", "run() { python -m pytest -q; }\nrun"),
        CHECK.replace(
            "python",
            snippet("""
                step() {
                  echo "== $*"
                  "$@"
                }
                step true
                step python"""),
        ),
        CHECK.replace("python", 'step() { echo "$1"; shift; "$@"; }\nstep tests python'),
        CHECK.replace("python", 'step() { "$@" || exit 1; }\nstep python'),
        CHECK.replace(
            "python -m pytest -q",
            'main() { lint; unit; }\nlint() { ruff check .; }\nunit() { pytest -q; }\nmain "$@"',
        ),
        CHECK.replace(
            "python -m pytest -q",
            snippet("""
                function unit {
                  pytest -q
                }
                unit"""),
        ),
        CHECK.replace("python -m pytest -q", 'tool() { python -m "$1" ${2:--q}; }\ntool pytest'),
        CHECK.replace("-q", '-q "$@"'),
        CHECK.replace("python -m", 'PYTHON=${PYTHON:-python3}\n"$PYTHON" -m'),
        CHECK.replace("python -m", '"${PYTHON:-python3}" -m'),
        CHECK.replace("python -m pytest -q", 'args=(-q --color=no)\npytest "${args[@]}"'),
        CHECK.replace("python -m", "python -u -W error -m"),
        CHECK.replace("python -m pytest -q", "timeout 600 python -m pytest -q"),
        CHECK.replace("python -m pytest -q", "sh ci/tests.sh"),
        CHECK.replace("python -m pytest -q", 'quiet="-q"\npython -m pytest $quiet'),
        CHECK.replace("python -m pytest -q", 'runner=pytest\n"${runner}" -q'),
        CHECK + "echo done\nexit 0\n",
    ],
)
def test_a_script_that_decides_as_before_is_no_concern(tmp_path: Path, text: str) -> None:
    inner = {"ci/tests.sh": "pytest -q\n"}

    assert (
        find_ids(tmp_path, {"ci/check.sh": CHECK}, {"ci/check.sh": text, **inner}, "./ci/check.sh")
        == []
    )


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ({"Makefile": MAKEFILE.replace("\tpython", "\t-python")}, ["Makefile:pytest"]),
        ({"Makefile": MAKEFILE.replace("\tpython", "\t@-python")}, ["Makefile:pytest"]),
        ({"Makefile": MAKEFILE.replace("-q", "-q || true")}, ["Makefile:pytest"]),
        ({"Makefile": MAKEFILE.replace("check: lint test", "check: lint")}, ["Makefile:pytest"]),
        ({"Makefile": MAKEFILE + ".IGNORE:\n"}, ["Makefile:ruff", "Makefile:pytest"]),
        ({"Makefile": "SHELL := /bin/true\n" + MAKEFILE}, ["Makefile:ruff", "Makefile:pytest"]),
        ({"Makefile": "MAKEFLAGS += -i\n" + MAKEFILE}, ["Makefile:ruff", "Makefile:pytest"]),
        ({"Makefile": MAKEFILE.partition(".PHONY")[0], "test": ""}, ["Makefile:pytest"]),
        ({"Makefile": MAKEFILE + "test:\n\t@echo ok\n"}, ["Makefile:pytest"]),
        (
            {"Makefile": MAKEFILE, "GNUmakefile": "check:\n\t@echo ok\n"},
            ["GNUmakefile:ruff", "GNUmakefile:pytest"],
        ),
        ({"Makefile": MAKEFILE + "\nclean:\n\trm -rf build\n"}, []),
        ({"Makefile": "PY := python3\n" + MAKEFILE.replace("\tpython", "\t@$(PY)")}, []),
        (
            {
                "Makefile": MAKEFILE.replace("check: lint test", "check: lint test types")
                + "types:\n\tmypy\n"
            },
            [],
        ),
        ({"Makefile": MAKEFILE, "GNUmakefile": "include Makefile\n"}, []),
        ({"Makefile": MAKEFILE.replace("check: lint test\n", "check: lint\n\t$(MAKE) test\n")}, []),
    ],
)
def test_makefiles_are_followed_target_by_target(
    tmp_path: Path, new: dict[str, str], expected: list[str]
) -> None:
    assert find_ids(tmp_path, {"Makefile": MAKEFILE}, new, "make -s check") == expected


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("jest", "jest || true", ["package.json:jest"]),
        ("jest", "jest --passWithNoTests", ["package.json:jest"]),
        ("jest", "jest slug", ["package.json:jest"]),
        ("jest", "jest -t joins", ["package.json:jest"]),
        ("jest", "true", ["package.json:jest"]),
        ("tsc && jest", "tsc; jest", ["package.json:tsc"]),
        ("tsc -p . && jest", "tsc -p loose.json && jest", ["package.json:tsc"]),
        ("eslint . --max-warnings 0", "eslint .", ["package.json:eslint"]),
        ("eslint . --max-warnings 0", "eslint . --max-warnings 99", ["package.json:eslint"]),
        ("eslint src test", "eslint src", ["package.json:eslint"]),
        ("go test ./...", "go test ./pkg", ["package.json:go"]),
        ("cargo test --workspace", "cargo test --lib", ["package.json:cargo"]),
        ("node --test", "node --test --test-name-pattern=joins", ["package.json:node"]),
        ("node --test", "node --test --test-reporter=spec", []),
        ("jest", "jest --ci --coverage --reporters default", []),
        ("jest", "NODE_ENV=test npx jest --verbose", []),
        ("eslint src", "eslint .", []),
        ("eslint src", "eslint src test", []),
        ("eslint .", "eslint . --max-warnings 0", []),
        ("go test ./...", "go test -race -count=1 ./...", []),
        ("jest", "npm run unit", []),
        ("jest", "node --experimental-vm-modules node_modules/jest/bin/jest.js", []),
        ("jest", "node --no-warnings ./node_modules/.bin/jest --ci", []),
        ("jest", "node --import ./x.js node_modules/jest/bin/jest.js", ["package.json:jest"]),
        ("jest", "node node_modules/jest/bin/jest.js -t joins", ["package.json:jest"]),
        ("jest", "jest --config jest.config.js", []),
        ("jest", "jest --config jest.fast.js", ["package.json:jest"]),
        ("tsc -p .", "tsc -p tsconfig.json", []),
        ("tsc -p src", "tsc -p tsconfig.json", ["package.json:tsc"]),
        ("vitest run", "vitest run --passWithNoTests=false", []),
        ("vitest run", "vitest run --coverage=false", ["package.json:vitest"]),
        ("vitest run", "vitest run -t false", ["package.json:vitest"]),
        ("vitest run --coverage", "vitest run --coverage=false", ["package.json:vitest"]),
        ("vitest run", "vitest run --coverage.thresholds.lines=90", []),
    ],
)
def test_package_scripts_are_followed(
    tmp_path: Path, before: str, now: str, expected: list[str]
) -> None:
    old, new = (
        {"package.json": json.dumps({"scripts": {"test": each, "unit": "jest"}})}
        for each in (before, now)
    )

    assert find_ids(tmp_path, old, new, "npm test") == expected


def test_a_script_named_like_a_check_is_compared_without_a_loop_running_it(tmp_path: Path) -> None:
    old = {"package.json": '{"scripts": {"lint": "eslint .", "deploy": "scp a b"}}'}
    new = {"package.json": '{"scripts": {"lint": "eslint . || true"}}'}

    assert find_ids(tmp_path, old, new, "true") == ["package.json:eslint"]


WORKFLOW = """\
jobs:
  a:
    steps:
      - run: pytest
      - run: ruff check
"""


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (WORKFLOW.replace("pytest", "pytest || true"), ["pytest"]),
        (WORKFLOW.replace("      - run: ruff check\n", ""), ["ruff"]),
        (WORKFLOW + "        continue-on-error: true\n", ["ruff"]),
        (
            WORKFLOW.replace(
                "pytest",
                snippet("""
                    |
                              pip install a
                              pytest -q"""),
            ),
            [],
        ),
        (WORKFLOW.replace("steps:", "name: all\n    steps:") + "      - run: mypy\n", []),
        ("a: &a [*a, {b: *a, run: *a}]\n", ["pytest", "ruff"]),
        ("{", ["pytest", "ruff"]),
    ],
)
def test_steps_of_continuous_integration_are_compared(
    tmp_path: Path, new: str, expected: list[str]
) -> None:
    path = ".github/workflows/ci.yml"
    found = find_ids(tmp_path, {path: WORKFLOW}, {path: new}, "true")

    assert found == [f"{path}:{program}" for program in expected]


GATE = """\
import json
state = json.load(open('.loop/state.json'))
print(state)
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"ci/gate.py": GATE}, {"ci/gate.py": "print(1)\n"}, ["ci/gate.py"]),
        ({"ci/gate.py": GATE}, {"ci/gate.py": GATE + "# said\n"}, []),
        ({"ci/gate.py": GATE}, {"ci/gate.py": f'"""Says what it does."""\n{GATE}'}, []),
        (
            {"ci/gate.py": f"run(__doc__)\n{GATE}"},
            {"ci/gate.py": f'"""--fewer"""\nrun(__doc__)\n{GATE}'},
            ["ci/gate.py"],
        ),
        ({"ci/gate.py": GATE}, {}, ["ci/gate.py"]),
        (
            {"ci/gate.py": GATE, ".loop/state.json": "1"},
            {"ci/gate.py": GATE, ".loop/state.json": "2"},
            [".loop/state.json"],
        ),
        ({"ci/gate.py": GATE, ".loop/state.json": "1"}, {"ci/gate.py": GATE}, [".loop/state.json"]),
        ({"ci/gate.py": GATE, "state.json": "1"}, {"ci/gate.py": GATE, "state.json": "2"}, []),
    ],
)
def test_a_check_script_and_the_records_it_reads_are_compared(
    tmp_path: Path, old: dict[str, str], new: dict[str, str], expected: list[str]
) -> None:
    assert find_ids(tmp_path, old, new, "python ci/gate.py") == expected


def test_the_expected_output_of_a_check_has_its_own_kind(tmp_path: Path) -> None:
    script = snippet("""
        set -e
        sh bin/stats.sh > out.txt
        diff expected/stats.txt out.txt
    """)
    old = {"ci/check.sh": script, "expected/stats.txt": "a 1\n"}
    comparison = compare_projects(
        tmp_path, old, {**old, "expected/stats.txt": "a 2\n"}, "sh ci/check.sh"
    )

    (found,) = scripts.find_concerns(comparison)
    assert is_allowed(found, ("edit-expected:expected/stats.txt",))
    assert not is_allowed(found, ("edit-expected:expected/other.txt",))


def test_a_report_that_the_check_writes_itself_is_no_record(tmp_path: Path) -> None:
    script = snippet("""
        set -e
        pytest --junitxml=report.xml
        python ci/gate.py report.xml
    """)
    old = {"ci/check.sh": script, "report.xml": "<a/>", "ci/gate.py": "x = 1\n"}

    assert find_ids(tmp_path, old, {**old, "report.xml": "<b/>"}, "sh ci/check.sh") == []


SPEC = "Fix pricing.py so that it follows its spec"
PROMISE = "grep -q '<promise>DONE</promise>' NOTES.md"
TESTED = {"tests/test_pricing.py": "def test_price():\n    assert price(1) == 1\n"}


@pytest.mark.parametrize(
    ("files", "command"),
    [
        ({}, PROMISE),
        ({}, "test -f NOTES.md"),
        ({"ci/check.sh": f"#!/bin/sh\nset -eu\n{PROMISE} 2>/dev/null\n"}, "sh ci/check.sh"),
        ({"ci/check.sh": "! grep -q '^- \\[ \\]' NOTES.md\n"}, "sh ci/check.sh"),
        ({"ci/check.sh": '[ "$(cat NOTES.md)" = done ]\n'}, "sh ci/check.sh"),
        (
            {
                "ci/check.sh": snippet("""
                    if grep -q a NOTES.md; then
                      exit 0
                    fi
                    exit 1
                """)
            },
            "sh ci/check.sh",
        ),
        ({"check": "#!/bin/sh\n./ci/a.sh\n", "ci/a.sh": PROMISE}, "./check"),
        ({"Makefile": f"check:\n\t@{PROMISE}\n"}, "make check"),
        ({"ci.mk": f"check:\n\t@{PROMISE}\n"}, "make -f ci.mk check"),
        ({"package.json": json.dumps({"scripts": {"test": PROMISE}})}, "npm test"),
        ({"ci/gate.py": "assert 'DONE' in open('NOTES.md').read()\n"}, "python ci/gate.py"),
    ],
)
@pytest.mark.parametrize("before", [{}, {"NOTES.md": "to do\n"}])
def test_a_check_that_only_reads_prose_is_a_concern(
    tmp_path: Path, files: dict[str, str], command: str, before: dict[str, str]
) -> None:
    new = {**TESTED, **files, "NOTES.md": "<promise>DONE</promise>\n"}
    comparison = compare_projects(tmp_path, {**TESTED, **files, **before}, new, command, task=SPEC)

    (found,) = scripts.find_concerns(comparison)
    assert (found.kind, found.path) == ("config", "NOTES.md")


def test_a_new_report_that_no_script_writes_was_written_by_hand(tmp_path: Path) -> None:
    old = {"ci/gate.py": "assert 'failures=\"0\"' in open('build/report.xml').read()\n"}
    new = {**old, "build/report.xml": '<testsuite failures="0"/>'}

    assert find_ids(tmp_path, old, new, "python ci/gate.py") == ["build/report.xml"]


@pytest.mark.parametrize(
    ("files", "path", "commands", "task"),
    [
        ({}, "NOTES.md", (PROMISE, "pytest -q"), SPEC),
        ({}, "NOTES.md", ("yarn jest", PROMISE), SPEC),
        ({}, "NOTES.md", ("npm exec vitest run", PROMISE), SPEC),
        ({}, "NOTES.md", ("bun test", PROMISE), SPEC),
        ({}, "NOTES.md", (PROMISE,), "Write DONE into NOTES.md"),
        ({}, "NOTES.md", ("sed -i s/x/y/ NOTES.md", PROMISE), SPEC),
        ({}, "NOTES.md", ("awk '{print > \"NOTES.md\"}' a.py", PROMISE), SPEC),
        ({}, "README.md", ("grep -q json README.md",), "Document the option --json"),
        ({}, "index.html", ("grep -q '<h1>' index.html",), "Add a title"),
        ({}, "data.json", ("jq -e .items data.json",), "Add the items"),
        ({}, "Dockerfile", ("grep -q python:3.14 Dockerfile",), "Use Python 3.14"),
        (
            {"ci/a.sh": "pytest | tee log.txt\ngrep -q passed log.txt\n"},
            "log.txt",
            ("sh ci/a.sh",),
            "",
        ),
        ({"ci/a.sh": "./app > out.txt\ndiff a.txt out.txt\n"}, "out.txt", ("sh ci/a.sh",), ""),
        (
            {
                "ci/a.sh": "python ci/run.py > out.txt\ndiff a.txt out.txt\n",
                "ci/run.py": "print(1)\n",
            },
            "out.txt",
            ("sh ci/a.sh",),
            "",
        ),
        (
            {
                "Makefile": snippet("""
                    check:
                    \tpytest > log.txt
                    \tgrep -q passed log.txt
                """)
            },
            "log.txt",
            ("make check",),
            "",
        ),
        ({"ci/a.py": "open('log.txt', 'w').write('1')\n"}, "log.txt", ("python ci/a.py",), ""),
        (
            {
                "ci/a.py": snippet("""
                    import subprocess
                    subprocess.run(['pytest'])
                    open('log.txt')
                """)
            },
            "log.txt",
            ("python ci/a.py",),
            "",
        ),
    ],
)
def test_prose_that_the_task_asks_for_or_a_check_writes_is_no_concern(
    tmp_path: Path, files: dict[str, str], path: str, commands: tuple[str, ...], task: str
) -> None:
    old = {**TESTED, **files}
    comparison = compare_projects(tmp_path, old, {**old, path: "written\n"}, *commands, task=task)

    assert list(scripts.find_concerns(comparison)) == []


def test_prose_is_accepted_where_the_project_has_no_tests(tmp_path: Path) -> None:
    comparison = compare_projects(
        tmp_path, {}, {"NOTES.md": "done\n"}, "test -f NOTES.md", task=SPEC
    )

    assert list(scripts.find_concerns(comparison)) == []


def test_a_script_gets_the_arguments_of_its_caller(tmp_path: Path) -> None:
    old = {"ci/check.sh": CHECK.replace("-q", '-q "$@"'), "ci/all.sh": "sh ci/check.sh\n"}
    new = {**old, "ci/all.sh": "sh ci/check.sh -k fast\n"}

    assert find_ids(tmp_path, old, new, "sh ci/all.sh") == ["ci/all.sh:pytest"]


@pytest.mark.parametrize("command", ["python src/a.py", "mypy src/a.py", "ruff check src/a.py"])
def test_a_product_file_that_a_check_names_is_no_script(tmp_path: Path, command: str) -> None:
    comparison = compare_projects(
        tmp_path, {"src/a.py": "x = 1\n"}, {"src/a.py": "x = 2\n"}, command
    )

    assert (comparison.role("src/a.py"), list(scripts.find_concerns(comparison))) == ("product", [])


def test_git_hooks_are_followed(tmp_path: Path) -> None:
    old = {".githooks/pre-commit": CHECK}
    new = {".githooks/pre-commit": CHECK.replace("-q", "-q || true")}

    found = find_ids(tmp_path, old, new, "git hook run --ignore-missing pre-commit")
    assert found == [".githooks/pre-commit:pytest"]


@pytest.mark.parametrize(
    "text",
    [
        "a && " * 3000 + "b",
        "(" * 5000,
        "sh ci/check.sh\n" * 3,
        "a 'b",
        "if\nthen &&\n",
        "case x in a) b ;; esac\n",
        'sh ci/check.sh more "$@"\n',
        "".join(f"f{n}() {{ f{n + 1}; f{n + 1}; }}\n" for n in range(40)) + "f0\n",
    ],
)
def test_a_script_that_cannot_be_followed_raises_nothing(tmp_path: Path, text: str) -> None:
    found = find_ids(tmp_path, {"ci/check.sh": CHECK}, {"ci/check.sh": text}, "sh ci/check.sh")

    assert found == ["ci/check.sh:pytest"]


def test_a_makefile_that_calls_itself_is_read_once(tmp_path: Path) -> None:
    variables = "".join(f"{a} = {f'$({b})' * 9}\n" for a, b in pairwise("ABCDEFGHIJ"))
    new = {"Makefile": f"{variables}check:\n\tmake check\n\tmake check\n\t$(A)\n"}

    found = find_ids(tmp_path, {"Makefile": MAKEFILE}, new, "make check")
    assert found == ["Makefile:ruff", "Makefile:pytest"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("// said\ncheck( 1 )\n", []), ("check(2)\n", ["scripts/gate.mjs"])],
)
def test_a_check_in_another_language_is_compared_without_comments(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    path = "scripts/gate.mjs"

    assert find_ids(tmp_path, {path: "check( 1 )\n"}, {path: text}, f"node {path}") == expected


def test_makefiles_and_packages_of_other_folders_are_found(tmp_path: Path) -> None:
    old = {
        "api/Makefile": "check:\n\tgo vet ./...\n",
        "web/package.json": '{"scripts": {"types": "tsc"}}',
    }
    new = {"api/Makefile": "check:\n\ttrue\n", "web/package.json": '{"scripts": {"types": ":"}}'}

    found = find_ids(tmp_path, old, new, "make -C api check && npm --prefix web run types")
    assert sorted(found) == ["api/Makefile:go", "web/package.json:tsc"]
