"""`check` with its wishes: changed files only, reports, waiting, watching."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from cli.world import CommandLine, error
from client.world import BIN, ClientWorld
from keepers import wait_until
from snippets import snippet
from untildone.process.runner import is_alive


def project(tmp_path: Path) -> ClientWorld:
    world = ClientWorld(tmp_path)
    world.project.joinpath("untildone.toml").write_text(
        '[checks.lint]\ncommand = "sh lint.sh"\n', encoding="utf-8"
    )
    world.project.joinpath("lint.sh").write_text(
        "grep -Hn bad *.py | sed -E 's/^([^:]*:[0-9]+):/\\1: /'; ! grep -q bad *.py\n",
        encoding="utf-8",
    )
    world.project.joinpath("old.py").write_text("bad = 1\n", encoding="utf-8")
    world.git("add", "-A")
    world.git("commit", "-qm", "next")
    world.untildone("trust", "--yes")
    return world


def test_only_findings_in_changed_files_count(tmp_path: Path) -> None:
    world = project(tmp_path)
    before = [
        world.untildone("check", *extra, check=False).returncode for extra in ([], ["--changed"])
    ]
    world.project.joinpath("new.py").write_text("bad = 2\n", encoding="utf-8")
    after = world.untildone("check", "--changed", "--json", check=False)

    assert before == [1, 0]
    assert after.returncode == 1
    assert {finding["path"] for finding in json.loads(after.stdout)["findings"]} == {"new.py"}


def test_nothing_says_red_where_only_unchanged_files_are_bad(tmp_path: Path) -> None:
    world = project(tmp_path)

    done = world.untildone("check", "--changed", check=False)

    assert "red" not in done.stdout + done.stderr
    assert done.stderr.startswith("lint: green")
    assert "findings only in unchanged files" in done.stdout


def test_a_change_may_break_any_test(tmp_path: Path) -> None:
    world = ClientWorld(tmp_path)
    command = f"{sys.executable} -m pytest -p no:cacheprovider"
    for name, text in {
        "test_shop.py": snippet("""
            import shop
            def test_open():
                assert shop.OPEN
        """),
        "shop.py": "OPEN = True\n",
        "Makefile": f"test:\n\t{command} test_shop.py\n",
    }.items():
        world.project.joinpath(name).write_text(text, encoding="utf-8")
    world.git("add", "-A")
    world.git("commit", "-qm", "next")
    world.project.joinpath("shop.py").write_text("OPEN = False\n", encoding="utf-8")

    report = json.loads(world.untildone("check", "--changed", "--json", check=False).stdout)

    assert report["outcome"] == "red"
    assert [found["path"] for found in report["findings"]] == ["test_shop.py"]


def test_before_the_first_commit_every_file_is_changed(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    cli.write("Makefile", "lint:\n\t@echo 'a.py:1: bad'; false\n")
    subprocess.run(["git", "init", "-q"], cwd=cli.project, env=cli.environ, check=True)
    subprocess.run(["git", "add", "-A"], cwd=cli.project, env=cli.environ, check=True)
    cli.write("a.py", "bad\n")

    report = cli.json("check", "--changed")

    assert (report["outcome"], len(report["findings"])) == ("red", 1)


def test_outside_git_changes_are_unknown(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    cli.write("Makefile", "lint:\n\tfalse\n")

    assert cli.run_process("check", "--changed") == error(
        f"`--changed` needs a git repository, and `{cli.project}` is in none",
        "leave out `--changed`",
    )


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal on Windows")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_ends_the_checks_too(tmp_path: Path, number: int, code: int) -> None:
    cli = CommandLine(tmp_path)
    cli.write("Makefile", "test:\n\techo $$PPID >started; sleep 600; touch ended\n")
    child = subprocess.Popen(
        [BIN / "untildone", "check"],
        cwd=cli.project,
        env=cli.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    started = cli.project / "started"
    assert wait_until(lambda: started.exists() and started.read_text(encoding="utf-8").strip())

    child.send_signal(number)

    assert child.wait(timeout=60) == code
    assert not is_alive(int(started.read_text(encoding="utf-8")))


def test_what_takes_too_long_is_reported_with_a_remedy(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    cli.write(
        "untildone.toml",
        snippet("""
            [checks.slow]
            command = "sleep 600"
            timeout = 1
        """),
    )
    cli.run("trust", "--yes")

    code, _, stderr = cli.run_process("check")

    assert code == 1
    assert stderr.endswith("\nhint: raise the `timeout` of the check in `untildone.toml`\n")


def test_what_cannot_run_is_reported_with_a_remedy(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    cli.write("Makefile", "test:\n\tread answer </dev/tty\n")

    code, stdout, stderr = cli.run_process("check")

    assert code == 17
    assert "it asks for a terminal (`/dev/tty`), and checks run without one" in stdout
    assert stderr.endswith(
        "\nhint: install what is missing, or set another command or `skip = true` in"
        " `untildone.toml`\n"
    )


def test_a_pipe_gets_whole_lines(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    text = "word " * 60 + "end"
    cli.write("Makefile", f"lint:\n\t@echo 'a.py:1: {text}'; false\n")

    shown = cli.run_process("check")[1].splitlines()

    assert f"      1  error  {text}" in shown
    assert shown == [line.rstrip() for line in shown]


def test_reports_are_written_where_they_are_wanted(tmp_path: Path) -> None:
    world = project(tmp_path)
    sarif, junit = tmp_path / "a.sarif", tmp_path / "a.xml"

    done = world.untildone("check", "--sarif", str(sarif), "--junit", str(junit), check=False)
    refused = world.untildone("check", "--sarif", str(tmp_path / "no" / "a"), check=False)

    assert done.returncode == 1
    assert json.loads(sarif.read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert "<failure" in junit.read_text(encoding="utf-8")
    assert (refused.returncode, "cannot be written" in refused.stderr) == (2, True)


def test_a_run_under_way_is_reported_or_waited_for(tmp_path: Path) -> None:
    world = project(tmp_path)
    started = tmp_path / "started"
    world.project.joinpath("lint.sh").write_text(f"touch '{started}'; sleep 3\n", encoding="utf-8")
    argv = [str(BIN / "untildone"), "check"]
    with subprocess.Popen(
        argv,
        cwd=world.project,
        env=world.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as first:
        while not started.exists():
            time.sleep(0.05)
        busy = world.untildone("check", check=False)
        waited = world.untildone("check", "--wait")

    assert first.returncode == 0
    assert (busy.returncode, "is in progress" in busy.stderr) == (2, True)
    # The run that was waited for answers for the same tree.
    assert "as before" in waited.stdout


def test_watching_runs_again_when_the_tree_changes(tmp_path: Path) -> None:
    world = project(tmp_path)
    argv = [str(BIN / "untildone"), "check", "--watch"]
    with subprocess.Popen(
        argv,
        cwd=world.project,
        env=world.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        seen = [_outcome(process.stdout)]
        world.project.joinpath("old.py").write_text("fine = 1\n", encoding="utf-8")
        try:
            seen.append(_outcome(process.stdout))
        finally:
            process.kill()

    assert seen == ["red", "green"]


def _outcome(lines: IO[str]) -> str:
    """The result in the table's row."""
    rows = (line.split() for line in lines)
    return next(row[2] for row in rows if row[:1] == ["lint"] and row[2:3] in (["red"], ["green"]))


def test_only_the_packages_that_a_change_reaches_are_checked(tmp_path: Path) -> None:
    cli = CommandLine(tmp_path)
    for package in ("api", "web"):
        cli.write(f"{package}/package.json", '{"scripts": {"test": "node --test"}}')
    cli.git("init", "-q")
    cli.git("add", "-A")
    cli.git("commit", "-qm", "both")
    cli.write("web/page.js", "")

    done = cli.untildone("check", "--changed", "--json")

    assert [check["name"] for check in json.loads(done.stdout)["checks"]] == ["web:test"]
    assert "not run, as no change reaches their package: api:test\n" in done.stderr
