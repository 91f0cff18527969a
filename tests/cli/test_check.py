"""`check` and `detect`: what is found, what it comes to, and how a script reads it."""

import json
import re
from pathlib import Path
from typing import Any

from cli.world import CommandLine, error
from snippets import snippet

GREEN = "[checks.test]\ncommand = 'true'\n"
RED = "[checks.lint]\ncommand = 'echo a.py:3: broken; false'\n"
SLOW = """\
[checks.e2e]
command = 'true'
when = 'done'
"""
MISSING = "[checks.types]\ncommand = 'no-such-program-here --strict'\n"
CHECK = {
    *("name", "command", "outcome", "exit_code", "cached", "seconds", "findings", "tests"),
    "reason",
}
FINDING = {"check", "path", "line", "code", "severity", "text", "fingerprint"}


def configure(cli: CommandLine, text: str) -> None:
    cli.write("untildone.toml", text)
    assert cli.run("trust", "--yes")[0] == 0


def lines(text: str) -> list[str]:
    """What a table says, without its widths and times."""
    untimed = re.sub(r"\d+\.\d s", "N s", text)
    return [" ".join(line.split()) for line in untimed.splitlines() if line.strip()]


def test_green(cli: CommandLine) -> None:
    configure(cli, GREEN + SLOW)

    done = cli.untildone("check")

    assert (done.returncode, lines(done.stdout)) == (
        0,
        ["check result time", "test \u2713 green N s", "e2e \u2713 green N s"],
    )
    assert sorted(lines(done.stderr)) == ["e2e: green N s", "test: green N s"]


def test_what_was_green_on_this_tree_is_not_run_again(cli: CommandLine) -> None:
    configure(cli, "[checks.test]\ncommand = 'echo run >>../runs'\n")

    shown = [lines(cli.run("check", *options)[1])[1] for options in ((), (), ("--no-cache",))]

    assert shown == [
        "test \u2713 green N s",
        "test \u2713 green N s as before",
        "test \u2713 green N s",
    ]
    assert (cli.project.parent / "runs").read_text(encoding="utf-8") == "run\n" * 2


def test_red(cli: CommandLine) -> None:
    cli.write("a.py", "1\n2\nthree()\n")
    configure(cli, GREEN + RED)

    code, stdout, _ = cli.run("check")

    assert (code, lines(stdout)) == (
        1,
        [
            "lint echo a.py:3: broken; false",
            "a.py",
            "3 error broken",
            "three()",
            "check result time",
            "test \u2713 green N s",
            "lint \u2717 red 1 finding N s",
        ],
    )
    assert cli.run("check", "test")[0] == 0


def test_red_without_findings_shows_the_end_of_the_output(cli: CommandLine) -> None:
    configure(cli, "[checks.test]\ncommand = 'seq 40; false'\n")

    shown = lines(cli.run("check")[1])

    assert shown[1:-2] == [f"| {number}" for number in range(26, 41)]
    assert shown[-1] == "test \u2717 red exit code 1 N s"


def test_many_findings_are_cut_short(cli: CommandLine) -> None:
    command = "for i in $(seq 45); do echo a.py:$i: broken; done; false"
    configure(cli, f"[checks.lint]\ncommand = '{command}'\n")

    shown = lines(cli.run("check")[1])

    assert shown[-4:-2] == ["40 error broken", "and 5 more; `--json` prints all"]
    assert len(cli.json("check")["findings"]) == 45


def test_unrunnable_outweighs_red(cli: CommandLine) -> None:
    configure(cli, RED + MISSING)

    code, stdout, _ = cli.run("check")

    assert code == 17
    assert lines(stdout)[-1] == "types ! unrunnable `no-such-program-here` was not found N s"


def test_json(cli: CommandLine) -> None:
    configure(cli, GREEN + RED + MISSING)

    report: dict[str, Any] = cli.json("check")

    assert set(report) == {"outcome", "checks", "findings"}
    assert report["outcome"] == "unrunnable"
    assert all(set(check) == CHECK for check in report["checks"])
    fields = ("name", "outcome", "exit_code", "cached", "findings", "tests")
    assert [tuple(check[field] for field in fields) for check in report["checks"]] == [
        ("test", "green", 0, False, 0, None),
        ("lint", "red", 1, False, 1, None),
        ("types", "unrunnable", None, False, 0, None),
    ]
    (finding,) = report["findings"]
    assert set(finding) == FINDING
    assert (finding["check"], finding["path"], finding["line"]) == ("lint", "a.py", 3)


def test_json_counts_tests(cli: CommandLine) -> None:
    cli.write(
        "test_it.py",
        snippet("""
            import unittest

            class T(unittest.TestCase):
                def test_a(self) -> None: pass
                def test_b(self) -> None: self.fail()
                @unittest.skip('no')
                def test_c(self) -> None: pass
        """),
    )
    configure(cli, "[checks.test]\ncommand = 'python3 -m unittest -v'\n")

    (check,) = cli.json("check")["checks"]

    assert check["tests"] == {
        **{"passed": 1, "failed": 1, "skipped": 1},
        "failing": ["test_it.T.test_b"],
    }
    shown = lines(cli.run("check")[1])[-1]
    assert shown == "test \u2717 red 1 passed, 1 failed, 1 skipped N s"


def test_a_name_stands_for_all_checks_below_it(cli: CommandLine) -> None:
    configure(
        cli, "[checks.'lint:a']\ncommand = 'true'\n[checks.'lint:b']\ncommand = 'true'\n" + GREEN
    )

    checked = cli.json("check", "lint", "lint:a")["checks"]

    assert [check["name"] for check in checked] == ["lint:a", "lint:b"]


def test_a_name_that_is_unknown(cli: CommandLine) -> None:
    configure(cli, GREEN + SLOW)

    assert cli.run("check", "test", "tets") == error(
        "there is no check `tets` (available: `test`, `e2e`)",
        "`untildone detect` shows where they come from",
    )


def test_nothing_to_check(cli: CommandLine) -> None:
    assert cli.run("check") == error(
        f"no check was found in `{cli.project}`",
        'add `[checks.test]` with `command = "YOUR COMMAND"` to `untildone.toml`, then run'
        " `untildone trust`",
    )


def test_a_pattern_that_is_broken(cli: CommandLine) -> None:
    cli.write("untildone.toml", f"{GREEN}success_pattern = '('\n")

    code, stdout, stderr = cli.run("check")

    assert (code, stdout) == (2, "")
    assert stderr.startswith(
        "error: untildone.toml:3: `success_pattern` is not a regular expression"
    )


def test_another_project(cli: CommandLine, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")

    assert lines(cli.run("check", "--project", str(other))[1])[-1] == "test \u2713 green N s"


def test_detect(cli: CommandLine) -> None:
    cli.write(
        "Makefile",
        snippet("""
            test:
            \ttouch marker
            lint:
            \ttrue
        """),
    )

    code, stdout, stderr = cli.run("detect")
    found = cli.json("detect")

    assert (code, stderr) == (0, "")
    assert stdout.splitlines() == [
        f"{check['name']}: `{check['command']}`  ({check['reason']})" for check in found["checks"]
    ]
    assert [(check["name"], check["command"]) for check in found["checks"]] == [
        ("test", "make test"),
        ("lint", "make lint"),
    ]
    fields = {"name", "command", "reason", "time_limit"}
    assert all(set(check) == fields for check in found["checks"])
    assert not (cli.project / "marker").exists()


def test_detect_reports_what_it_left_out(cli: CommandLine) -> None:
    cli.write(
        "Makefile",
        snippet("""
            test:
            \ttrue
            lint:
            \truff check --fix
        """),
    )
    why = "`Makefile` has a target `lint`, which would change files"

    assert cli.run("detect")[1].splitlines() == [
        "test: `make test`  (`Makefile` has a target `test`)",
        f"left out: `make lint`  ({why})",
    ]
    assert cli.json("detect")["left_out"] == [{"command": "make lint", "reason": why}]
    cli.write("untildone.toml", '[checks.test]\ncommand = "true"\n')
    cli.run("trust", "--yes")
    assert cli.json("detect")["left_out"] == []


def test_detect_nothing(cli: CommandLine) -> None:
    reported = (
        f"error: no check was found in `{cli.project}`\n\n"
        'hint: name the command that decides: `untildone start --check "YOUR COMMAND"`\n'
    )

    assert cli.run("detect") == (2, "", reported)
    code, stdout, stderr = cli.run("detect", "--json")
    assert (code, json.loads(stdout), stderr) == (2, {"checks": [], "left_out": []}, reported)
