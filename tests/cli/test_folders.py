"""A configuration per folder: named after it, run in it, trusted together with the others."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from cli.world import CommandLine, error
from snippets import snippet
from world import SESSION

ROOT = "[checks.lint]\ncommand = 'true'\n"
API = "[checks.test]\ncommand = 'touch ran'\n"


@pytest.fixture(autouse=True)
def repository(cli: CommandLine) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=cli.project, check=True)
    cli.write("untildone.toml", ROOT)
    return cli.write("api/untildone.toml", API)


def checks(cli: CommandLine, *arguments: str) -> list[str]:
    return [check["name"] for check in cli.json("check", *arguments)["checks"]]


def test_the_checks_of_folders_run_there(cli: CommandLine) -> None:
    assert cli.run("trust", "--yes")[0] == 0

    assert checks(cli) == ["lint", "api:test"]
    assert (cli.project / "api/ran").exists()
    assert checks(cli, "api:test") == ["api:test"]


def test_below_a_folder_the_nearest_configuration_counts(cli: CommandLine) -> None:
    cli.run("trust", "--yes")
    cli.write("api/src/deep/x.py", "")
    cli.write("web/x.py", "")

    assert checks(cli, "--project", "api") == ["test"]
    assert checks(cli, "--project", "api/src/deep") == ["test"]
    assert checks(cli, "--project", "web") == ["lint", "api:test"]


def test_each_is_listed_with_where_it_comes_from(cli: CommandLine) -> None:
    cli.run("trust", "--yes")

    assert cli.run("detect")[1].splitlines() == [
        "lint: `true`  (configured in `untildone.toml`)",
        "api:test: `touch ran`  (configured in `api/untildone.toml`)",
    ]


def test_a_preset_means_the_names_in_each_file(cli: CommandLine) -> None:
    cli.run("trust", "--yes")

    assert cli.json("start", "--session", SESSION, "--preset", "test")["checks"] == ["touch ran"]


def test_where_the_top_has_none_its_checks_are_found(cli: CommandLine) -> None:
    cli.write("untildone.toml", "")
    cli.write("Makefile", "test:\n\ttrue\n")
    cli.run("trust", "--yes")

    assert checks(cli) == ["test", "api:test"]
    found = cli.json("start", "--session", SESSION, "--preset", "test")["checks"]
    assert found == ["make test", "touch ran"]


def test_a_change_of_any_revokes_all_and_is_shown(cli: CommandLine, repository: Path) -> None:
    cli.run("trust", "--yes")
    repository.write_text(API.replace("ran", "other"), encoding="utf-8")

    assert cli.run("check") == error(
        f"no check was found in `{cli.project}`,"
        " and `api/untildone.toml` is not trusted, so none is used",
        "`untildone trust` shows it and asks",
    )
    shown = cli.untildone("trust", stdin="n\n").stdout.splitlines()
    assert shown[:-1] == [
        "== api/untildone.toml",
        "--- trusted",
        "+++ current",
        "@@ -1,2 +1,2 @@",
        " [checks.test]",
        "-command = 'touch ran'",
        "+command = 'touch other'",
    ]
    assert not (cli.project / "api/ran").exists()


def test_one_more_file_revokes_them_too(cli: CommandLine) -> None:
    cli.run("trust", "--yes")
    cli.write("web/untildone.toml", API)
    cli.write("Makefile", "test:\n\ttrue\n")

    code, stdout, stderr = cli.run("detect")

    assert (code, stdout) == (0, "test: `make test`  (`Makefile` has a target `test`)\n")
    assert stderr == (
        "`web/untildone.toml` is not trusted, so none is used;"
        " `untildone trust` shows what changed\n"
    )


def test_a_file_that_says_nothing_needs_no_trust(cli: CommandLine) -> None:
    cli.run("trust", "--yes")
    cli.write("web/untildone.toml", "# nothing yet\n")

    assert checks(cli) == ["lint", "api:test"]


def test_they_are_trusted_by_one_hash(cli: CommandLine) -> None:
    files = ["untildone.toml", "api/untildone.toml"]
    listed = "".join(f"{digest(cli, file)}  {file}\n" for file in files)
    together = hashlib.sha256(listed.encode()).hexdigest()

    assert cli.run("trust", "--sha256", digest(cli, files[0]))[0] == 2
    code, stdout, _ = cli.run("trust", "--sha256", together)

    assert (code, stdout.splitlines()[-1]) == (0, f"together: sha256 {together}")
    assert checks(cli) == ["lint", "api:test"]


def digest(cli: CommandLine, file: str) -> str:
    return hashlib.sha256((cli.project / file).read_bytes()).hexdigest()


def test_two_checks_of_one_name_are_refused(cli: CommandLine) -> None:
    cli.write("untildone.toml", "[checks.'api:test']\ncommand = 'x'\n")
    cli.run("trust", "--yes")

    assert cli.run("check") == error(
        "api/untildone.toml: the check `test` goes by `api:test`, as another one does",
        "give one of them another name",
    )


def test_rules_of_the_repository_are_a_check(cli: CommandLine) -> None:
    rule = snippet("""
        id: no-eval
        language: python
        severity: error
        message: no eval
        rule:
    """)
    cli.write("rules/no-eval.yml", f"{rule}  pattern: eval($X)\n")
    cli.write("untildone.toml", f"security_rules = ['rules']\n{ROOT}")
    cli.write("a.py", "eval(x)\n")
    cli.run("trust", "--yes")

    found = cli.json("check")

    assert [check["name"] for check in found["checks"]] == ["lint", "api:test", "security"]
    assert sorted((each["path"], each["code"]) for each in found["findings"]) == [
        ("a.py", "no-eval"),
        ("a.py", "python-eval"),
    ]


def test_rules_of_the_repository_are_used_beside_a_check_given_by_hand(cli: CommandLine) -> None:
    rule = snippet("""
        id: no-eval
        language: python
        message: no eval
        rule:
          pattern: eval($X)
    """)
    cli.write("rules/no-eval.yml", rule)
    cli.write("untildone.toml", f"security_rules = ['rules']\n{ROOT}")
    cli.run("trust", "--yes")

    given = ("--check", "true", "--zero-security")
    by_hand, security = cli.json("start", "--session", SESSION, *given)["checks"]

    assert (by_hand, security.endswith("--rules rules")) == ("true", True)


def test_the_same_security_check_is_not_run_twice(cli: CommandLine) -> None:
    cli.write("rules/.keep", "")
    cli.write("untildone.toml", f"security_rules = ['rules']\n{ROOT}")
    cli.run("trust", "--yes")

    checks = cli.json("start", "--session", SESSION, "--zero-security")["checks"]

    assert len(checks) == 3


def test_a_check_is_left_out_by_its_file(cli: CommandLine) -> None:
    cli.write("api/untildone.toml", API + "skip = true\n")
    cli.run("trust", "--yes")

    assert checks(cli) == ["lint"]
    line = "left out: `api:test`  (`skip = true` in `api/untildone.toml`)"
    assert cli.run("detect")[1].splitlines()[-1] == line


def test_a_found_check_is_left_out_without_a_command(cli: CommandLine) -> None:
    cli.write("untildone.toml", "[checks.lint]\nskip = true\n")
    (cli.project / "api/untildone.toml").unlink()
    cli.write("Makefile", "lint:\n\tfalse\ntest:\n\ttrue\n")
    cli.run("trust", "--yes")

    assert checks(cli) == ["test"]
    started = cli.json("start", "--session", SESSION)
    assert (started["checks"], started["left_out"]) == (["make test"], ["lint"])


def test_a_loop_without_any_check_is_refused(cli: CommandLine) -> None:
    cli.write("untildone.toml", "[checks.lint]\nskip = true\n")
    (cli.project / "api/untildone.toml").unlink()
    cli.write("Makefile", "lint:\n\tfalse\n")
    cli.run("trust", "--yes")

    refused = cli.run("start", "--session", SESSION)[2]
    assert refused.startswith("error: every check is left out by `skip = true`: `lint`")
