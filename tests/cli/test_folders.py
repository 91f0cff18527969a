"""A configuration per folder: named after it, run in it, trusted together with the others."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from cli.desk import SESSION, Desk, error

ROOT = "[checks.lint]\ncommand = 'true'\n"
API = "[checks.test]\ncommand = 'touch ran'\n"


@pytest.fixture(autouse=True)
def repository(desk: Desk) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=desk.project, check=True)
    desk.write("untildone.toml", ROOT)
    return desk.write("api/untildone.toml", API)


def checks(desk: Desk, *arguments: str) -> list[str]:
    return [check["name"] for check in desk.json("check", *arguments)["checks"]]


def test_the_checks_of_folders_run_there(desk: Desk) -> None:
    assert desk.typed("trust", "--yes")[0] == 0

    assert checks(desk) == ["lint", "api:test"]
    assert (desk.project / "api/ran").exists()
    assert checks(desk, "api:test") == ["api:test"]


def test_below_a_folder_the_nearest_configuration_counts(desk: Desk) -> None:
    desk.typed("trust", "--yes")
    desk.write("api/src/deep/x.py", "")
    desk.write("web/x.py", "")

    assert checks(desk, "--project", "api") == ["test"]
    assert checks(desk, "--project", "api/src/deep") == ["test"]
    assert checks(desk, "--project", "web") == ["lint", "api:test"]


def test_each_is_listed_with_where_it_comes_from(desk: Desk) -> None:
    desk.typed("trust", "--yes")

    assert desk.typed("detect")[1].splitlines() == [
        "lint: `true`  (configured in `untildone.toml`)",
        "api:test: `touch ran`  (configured in `api/untildone.toml`)",
    ]


def test_a_preset_means_the_names_in_each_file(desk: Desk) -> None:
    desk.typed("trust", "--yes")

    assert desk.json("start", "--session", SESSION, "--preset", "test")["checks"] == ["touch ran"]


def test_where_the_top_has_none_its_checks_are_found(desk: Desk) -> None:
    desk.write("untildone.toml", "")
    desk.write("Makefile", "test:\n\ttrue\n")
    desk.typed("trust", "--yes")

    assert checks(desk) == ["test", "api:test"]
    found = desk.json("start", "--session", SESSION, "--preset", "test")["checks"]
    assert found == ["make test", "touch ran"]


def test_a_change_of_any_revokes_all_and_is_shown(desk: Desk, repository: Path) -> None:
    desk.typed("trust", "--yes")
    repository.write_text(API.replace("ran", "other"), encoding="utf-8")

    assert desk.typed("check") == error(
        f"no check was found in `{desk.project}`,"
        " and `api/untildone.toml` is not trusted, so none is used",
        "`untildone trust` shows it and asks",
    )
    shown = desk.untildone("trust", stdin="n\n").stdout.splitlines()
    assert shown[:-1] == [
        "== api/untildone.toml",
        "--- trusted",
        "+++ current",
        "@@ -1,2 +1,2 @@",
        " [checks.test]",
        "-command = 'touch ran'",
        "+command = 'touch other'",
    ]
    assert not (desk.project / "api/ran").exists()


def test_one_more_file_revokes_them_too(desk: Desk) -> None:
    desk.typed("trust", "--yes")
    desk.write("web/untildone.toml", API)
    desk.write("Makefile", "test:\n\ttrue\n")

    code, shown, told = desk.typed("detect")

    assert (code, shown) == (0, "test: `make test`  (`Makefile` has a target `test`)\n")
    assert told == (
        "`web/untildone.toml` is not trusted, so none is used;"
        " `untildone trust` shows what changed\n"
    )


def test_a_file_that_says_nothing_needs_no_trust(desk: Desk) -> None:
    desk.typed("trust", "--yes")
    desk.write("web/untildone.toml", "# nothing yet\n")

    assert checks(desk) == ["lint", "api:test"]


def test_they_are_trusted_by_one_hash(desk: Desk) -> None:
    files = ["untildone.toml", "api/untildone.toml"]
    listed = "".join(f"{digest(desk, file)}  {file}\n" for file in files)
    together = hashlib.sha256(listed.encode()).hexdigest()

    assert desk.typed("trust", "--sha256", digest(desk, files[0]))[0] == 2
    code, shown, _ = desk.typed("trust", "--sha256", together)

    assert (code, shown.splitlines()[-1]) == (0, f"together: sha256 {together}")
    assert checks(desk) == ["lint", "api:test"]


def digest(desk: Desk, file: str) -> str:
    return hashlib.sha256((desk.project / file).read_bytes()).hexdigest()


def test_two_checks_of_one_name_are_refused(desk: Desk) -> None:
    desk.write("untildone.toml", "[checks.'api:test']\ncommand = 'x'\n")
    desk.typed("trust", "--yes")

    assert desk.typed("check") == error(
        "api/untildone.toml: the check `test` goes by `api:test`, as another one does",
        "give one of them another name",
    )


def test_rules_of_the_repository_are_a_check(desk: Desk) -> None:
    rule = "id: no-eval\nlanguage: python\nseverity: error\nmessage: no eval\nrule:\n"
    desk.write("rules/no-eval.yml", f"{rule}  pattern: eval($X)\n")
    desk.write("untildone.toml", f"security_rules = ['rules']\n{ROOT}")
    desk.write("a.py", "eval(x)\n")
    desk.typed("trust", "--yes")

    found = desk.json("check")

    assert [check["name"] for check in found["checks"]] == ["lint", "api:test", "security"]
    assert sorted((each["path"], each["code"]) for each in found["findings"]) == [
        ("a.py", "no-eval"),
        ("a.py", "python-eval"),
    ]


def test_rules_of_the_repository_are_used_beside_a_check_given_by_hand(desk: Desk) -> None:
    rule = "id: no-eval\nlanguage: python\nmessage: no eval\nrule:\n  pattern: eval($X)\n"
    desk.write("rules/no-eval.yml", rule)
    desk.write("untildone.toml", f"security_rules = ['rules']\n{ROOT}")
    desk.typed("trust", "--yes")

    given = ("--check", "true", "--zero-security")
    by_hand, security = desk.json("start", "--session", SESSION, *given)["checks"]

    assert (by_hand, security.endswith("--rules rules")) == ("true", True)


def test_the_same_security_check_is_not_run_twice(desk: Desk) -> None:
    desk.write("rules/.keep", "")
    desk.write("untildone.toml", f"security_rules = ['rules']\n{ROOT}")
    desk.typed("trust", "--yes")

    checks = desk.json("start", "--session", SESSION, "--zero-security")["checks"]

    assert len(checks) == 3
