"""Checks whose tools would edit: they run in their checking form, and edits are told."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check

UNUSED = "import os\n"
RUFF = Path(sys.executable).with_name("ruff")
# An eslint that fixes with `--fix` and is red without it.
ESLINT = '#!/bin/sh\ncase "$*" in *--fix*) echo fixed > a.js;; *) exit 1;; esac\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for name in ("a.py", "a.js"):
        tmp_path.joinpath(name).write_text(UNUSED, encoding="utf-8")
    for line in ("git init -q", "git add ."):
        subprocess.run(line.split(), cwd=tmp_path, check=True)
    return tmp_path


def run(project: Path, *commands: str) -> list[CheckResult]:
    checks = [Check(name=f"c{n}", command=command) for n, command in enumerate(commands, 1)]
    return list(run_checks(checks, RunOptions(project=project)))


@pytest.mark.parametrize("options", ["", " --fix"])
def test_ruff_does_not_fix_although_its_settings_say_so(repository: Path, options: str) -> None:
    repository.joinpath("ruff.toml").write_text("fix = true\n", encoding="utf-8")

    (result,) = run(repository, f"{RUFF} check{options} .")

    assert (result.outcome, result.command) == ("red", f"{RUFF} check --no-fix .")
    assert repository.joinpath("a.py").read_text(encoding="utf-8") == UNUSED


def test_a_script_that_fixes_only_checks(repository: Path) -> None:
    program = repository / "node_modules" / ".bin" / "eslint"
    program.parent.mkdir(parents=True)
    program.write_text(ESLINT, encoding="utf-8")
    program.chmod(0o755)
    package = json.dumps({"scripts": {"lint": "eslint --fix ."}})
    repository.joinpath("package.json").write_text(package, encoding="utf-8")

    (result,) = run(repository, "npm run lint")

    assert (result.outcome, result.command) == ("red", "eslint .")
    assert repository.joinpath("a.js").read_text(encoding="utf-8") == UNUSED


def test_only_the_check_that_edits_is_to_blame(repository: Path) -> None:
    """The type checker runs all the time, but it edits nothing."""
    repository.joinpath("mypy").write_text("#!/bin/sh\nsleep 1\n", encoding="utf-8")
    repository.joinpath("mypy").chmod(0o755)

    results = run(repository, "sleep 0.5; echo x > a.py; rm -f a.js", "sleep 0.1", "./mypy")

    reasons = [result.reason for result in results]
    assert reasons == ["it changed the files it judged: `a.js`, `a.py`", "", ""]


def test_an_edit_is_told_of_a_red_check_too(repository: Path) -> None:
    (result,) = run(repository, "echo x > a.py; exit 1")

    reason = "exit code 1; it changed the files it judged: `a.py`"
    assert (result.outcome, result.reason) == ("red", reason)


def test_a_new_source_file_counts_and_a_report_does_not(repository: Path) -> None:
    for name in ("new.py", "coverage/index.js"):
        repository.joinpath(name).parent.mkdir(exist_ok=True)
        repository.joinpath(name).write_text(UNUSED, encoding="utf-8")

    (result,) = run(repository, "echo x > new.py; echo x > coverage/index.js; touch b.py")

    assert result.reason == "it changed the files it judged: `new.py`"


def test_a_build_may_change_its_output(repository: Path) -> None:
    repository.joinpath("dist").mkdir()
    repository.joinpath("dist", "a.js").touch()
    subprocess.run(["git", "add", "."], cwd=repository, check=True)
    build = Check(name="build", command="echo x > dist/a.js")

    (result,) = run_checks([build], RunOptions(project=repository))

    assert result.outcome == "green"


def test_a_lock_file_may_be_brought_up_to_date(repository: Path) -> None:
    repository.joinpath("Cargo.lock").write_text("version = 3\n", encoding="utf-8")
    subprocess.run(["git", "add", "."], cwd=repository, check=True)

    (result,) = run(repository, "echo 'version = 4' > Cargo.lock")

    assert (result.outcome, result.reason) == ("green", "")


def test_an_edit_outside_git_is_told(tmp_path: Path) -> None:
    tmp_path.joinpath("a.py").write_text(UNUSED, encoding="utf-8")

    (result,) = run(tmp_path, "echo x > a.py")

    assert result.reason == "it changed the files it judged: `a.py`"
