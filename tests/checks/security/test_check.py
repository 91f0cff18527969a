"""The security check, and scans of single files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checks.security.bare import PATH, bare_python
from snippets import snippet
from untildone.checks import security
from untildone.checks.findings import Diagnostic, make_findings
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult, Finding
from untildone.core.contract import Check
from untildone.errors import UserError

EVAL = (
    "text that is not a constant is run as code;"
    " parse it (`ast.literal_eval`, `json.loads`) instead"
)
NO_TODO = """\
id: no-todo
language: Python
severity: hint
message: this is not finished
rule: {kind: comment, regex: TODO}
"""


def write(project: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return project


def run(project: Path, check: Check | None = None) -> CheckResult:
    (result,) = run_checks([check or security.make_check(project)], RunOptions(project=project))
    return result


def findings(*places: tuple[str, int, str, str]) -> tuple[Finding, ...]:
    return make_findings(
        "security",
        (
            Diagnostic(path=path, line=line, code=code, severity="security", text=text)
            for path, line, code, text in places
        ),
    )


def test_code_without_findings_is_green(tmp_path: Path) -> None:
    result = run(write(tmp_path, {"a.py": "print(1)\n"}))

    assert (result.outcome, result.exit_code, result.findings) == ("green", 0, ())
    assert result.output == "no security findings\n"


def test_each_finding_is_red_in_the_order_of_the_files(tmp_path: Path) -> None:
    project = write(tmp_path, {"b.py": "\neval(x)\neval(y); eval(z)\n", "a.py": "eval(x)\n"})

    result = run(project)

    assert (result.name, result.outcome, result.exit_code) == ("security", "red", 1)
    assert result.findings == findings(
        ("a.py", 1, "python-eval", EVAL),
        ("b.py", 2, "python-eval", EVAL),
        ("b.py", 3, "python-eval", EVAL),
    )


def test_more_findings_than_the_output_is_kept_of(tmp_path: Path) -> None:
    result = run(write(tmp_path, {"a.py": "eval(x)\n" * 5_000}))

    assert result.outcome == "red"
    assert (result.findings[0].line, result.findings[-1].line) == (1, 5_000)


def test_what_git_ignores_is_installed_or_generated_is_left_out(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    write(tmp_path, {".gitignore": "build/\n", "build/a.py": "eval(x)\n"})
    write(tmp_path, {"node_modules/a/index.js": "eval(x)\n", "site/shop.min.js": "eval(x)"})

    assert run(tmp_path).outcome == "green"
    write(tmp_path, {"site/shop.js": "eval(x)\n"})
    assert [one.path for one in run(tmp_path).findings] == ["site/shop.js"]


def test_code_of_tests_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"tests/a.py": "eval(x)\n", "shop.test.ts": "eval(x)\n"})

    assert run(tmp_path).outcome == "green"


def test_a_named_suppression_is_obeyed(tmp_path: Path) -> None:
    source = snippet("""
        # ast-grep-ignore: python-eval
        eval(x)
        # ast-grep-ignore: go-eval
        eval(y)
    """)

    assert [one.line for one in run(write(tmp_path, {"a.py": source})).findings] == [4]


def test_rules_of_the_user_stand_beside_ours(tmp_path: Path) -> None:
    project = write(tmp_path / "shop", {"a.py": "eval(x)  # TODO\n"})
    write(project / "my rules", {"a.yml": NO_TODO})
    foreign = write(tmp_path / "elsewhere", {"a.yml": NO_TODO.replace("no-todo", "no-todo-2")})

    check = security.make_check(project, rules=(project / "my rules", foreign))

    assert check.command.endswith(f"--rules 'my rules' --rules {foreign}")
    assert run(project, check).findings == findings(
        ("a.py", 1, "no-todo", "this is not finished"),
        ("a.py", 1, "no-todo-2", "this is not finished"),
        ("a.py", 1, "python-eval", EVAL),
    )


def test_a_broken_rule_is_reported_before_anything_rests_on_it(tmp_path: Path) -> None:
    write(tmp_path / "rules", {"a.yml": "id: ["})

    with pytest.raises(UserError) as caught:
        security.make_check(tmp_path, rules=(tmp_path / "rules",))

    reported = f"Cannot parse rule {tmp_path / 'rules' / 'a.yml'}"
    assert caught.value.message == f"`ast-grep` cannot look for security findings: {reported}"


def test_a_missing_folder_of_rules_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        security.make_check(tmp_path, rules=(tmp_path / "rules",))

    assert caught.value.message == f"the rules folder `{tmp_path / 'rules'}` does not exist"


def test_rules_that_vanish_make_the_check_unrunnable(tmp_path: Path) -> None:
    rules = write(tmp_path / "rules", {"a.yml": NO_TODO})
    check = security.make_check(tmp_path, rules=(rules,))
    (rules / "a.yml").unlink()
    rules.rmdir()

    assert run(tmp_path, check).outcome == "unrunnable"


def test_the_projects_own_configuration_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"sgconfig.yml": "ruleDirs: [nowhere]\n", "a.py": "eval(x)\n"})

    assert [one.code for one in run(tmp_path).findings] == ["python-eval"]


def test_single_files_are_found_as_in_the_whole(tmp_path: Path) -> None:
    project = write(tmp_path, {"a.py": "eval(x)\n", "lib/b.ts": "eval(x)\n", "c.txt": "eval(x)"})
    whole = run(project).findings

    assert len(whole) == 2
    assert security.scan_files((project / "lib" / "b.ts",), project=project) == whole[1:]
    assert security.scan_files((project / "c.txt", project / "gone.py"), project=project) == ()
    assert security.scan_files((), project=project) == ()


def test_a_file_named_like_an_option_is_a_file(tmp_path: Path) -> None:
    project = write(tmp_path, {"-U.py": "eval(x)\n"})

    (finding,) = security.scan_files((project / "-U.py",), project=project)

    assert (finding.path, finding.line) == ("-U.py", 1)


def test_a_scan_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    project = write(tmp_path, {"a.py": "eval(x)\n"})

    with pytest.raises(UserError, match="`ast-grep` did not end in time"):
        security.scan_files((project / "a.py",), project=project, timeout=0)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bare_python(tmp_path_factory.mktemp("bare"))


def test_a_missing_extra_is_reported_with_the_command_that_installs_it(bare: Path) -> None:
    source = snippet("""
        from pathlib import Path
        from untildone.checks import security
        try:
            security.make_check(Path())
        except Exception as error:
            print(repr(error), error.hint)
    """)
    said = subprocess.run(
        [bare, "-I", "-c", source],
        env={"PATH": PATH, "HOME": str(bare.parent)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert said.stdout == (
        "MissingProgramError('`ast-grep`, which looks for security findings, is not installed')"
        f" `{bare} -m pip install 'ast-grep-cli<1,>=0.38'`\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="`env` is no program there")
def test_a_program_that_vanished_makes_the_check_unrunnable(tmp_path: Path, bare: Path) -> None:
    command = security.make_check(tmp_path).command.replace(sys.executable, str(bare))
    check = Check(name="security", command=f"env PATH={PATH} HOME={tmp_path} {command}")

    result = run(write(tmp_path, {"a.py": "eval(x)\n"}), check)

    assert (result.outcome, result.exit_code, result.reason, result.findings) == (
        "unrunnable",
        127,
        "`ast-grep` was not found",
        (),
    )
    assert f"hint: `{bare} -m pip install 'ast-grep-cli<1,>=0.38'`" in result.output
