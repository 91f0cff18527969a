"""Hostile programs as checks: the outcome is right, and no process or file survives."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from process.hostile_programs import Marked, command
from snippets import snippet
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.check_results import CheckResult
from untildone.core.contract import Check

KNOWN = "cart.c:7: error: known"
TOO_LATE = ("timed-out", "did not end within 1 seconds")
NO_TERMINAL = "it asks for a terminal (`/dev/tty`), and checks run without one"
EXIT_1 = ("red", "exit code 1")


def run(project: Path, marked: Marked, script: str, *, timeout: float = 120, **env: str) -> str:
    """What it came to, with its reason."""
    result = check(project, shlex.join(command(script)), timeout, MARKED=marked.mark, **env)
    return f"{result.outcome}: {result.reason}"


def check(project: Path, line: str, timeout: float = 120, **env: str) -> CheckResult:
    (result,) = run_checks(
        [Check(name="t", command=line, timeout=timeout, env=env)],
        RunOptions(project=project, logs=project / ".logs"),
    )
    return result


@pytest.mark.skipif(os.name == "nt", reason="they are for the shell of Unix")
@pytest.mark.parametrize(
    ("script", "env", "expected"),
    [
        ("forever.sh", {}, TOO_LATE),
        ("deaf.py", {}, TOO_LATE),
        ("stopped.sh", {}, TOO_LATE),
        ("double_fork.py", {}, EXIT_1),
        ("swarm.sh", {}, EXIT_1),
        ("pipe_keeper.sh", {}, ("green", "")),
        ("asks_stdin.sh", {}, EXIT_1),
        ("asks_terminal.sh", {}, ("unrunnable", NO_TERMINAL)),
        ("garbage.py", {}, EXIT_1),
        ("killed.sh", {}, ("red", "killed by SIGKILL (out of memory?)")),
        ("exits.sh", {"STATUS": "126"}, ("unrunnable", "`sh` cannot be executed")),
        ("exits.sh", {"STATUS": "0"}, ("green", "")),
        ("flood.py", {"MEGABYTES": "200"}, EXIT_1),
        ("long_line.py", {"MEGABYTES": "200"}, EXIT_1),
    ],
)
def test_a_hostile_check_gets_its_outcome_and_leaves_nothing(
    script: str, env: dict[str, str], expected: tuple[str, str], *, tmp_path: Path
) -> None:
    marked = Marked()
    limit = 1 if expected == TOO_LATE else 120
    assert run(tmp_path, marked, script, timeout=limit, **env) == ": ".join(expected)
    assert marked.left() == []


@pytest.mark.skipif(os.name == "nt", reason="it is for the shell of Unix")
def test_a_check_that_changes_the_tree_it_judges_is_no_evidence(tmp_path: Path) -> None:
    for git in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm a"):
        tmp_path.joinpath("judged.txt").touch()
        subprocess.run(["git", *git.split()], cwd=tmp_path, check=True)
    outcome = run(tmp_path, Marked(), "rewrites.sh")
    assert outcome == "no-evidence: it changed the files it judged: `judged.txt`"


NOISE = {
    "no text": rb"\xff\xfe\xc3\x28 \xed\xb0\x80",
    "NUL": rb"\0\0\0",
    "escapes": rb"\x1b[31m\x1b]0;title\x07\x1b]52;c;cGFzdGVk\x07\x1b[2J\x9b1m",
    "an open escape": rb"\x1b]0;never ended",
    "returns": rb"10%\r 50%\r",
    "backwards": rb"\xe2\x80\xae drawkcab \xe2\x80\x8b",
}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("times", [1, 20_000], ids=["once", "in every line"])
def test_a_finding_is_found_in_output_that_is_no_text(
    tmp_path: Path, noise: str, times: int
) -> None:
    line = NOISE[noise].decode()
    code = (
        f"import os, sys\nout = b'{line}\\n' * {times}\n"
        f"sys.stdout.buffer.write(out + b'{KNOWN}\\n' + out)\nsys.exit(1)"
    )
    result = check(tmp_path, f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}")
    found = [(finding.path, finding.line, finding.text) for finding in result.findings]
    assert found == [("cart.c", 7, "known")]
    assert result.output.replace("\n", "").replace("\t", "").isprintable()


# The peak of the program image itself: ru_maxrss would include the process it was forked from.
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("script", ["flood.py", "long_line.py"])
def test_memory_stays_fixed_whatever_is_printed(tmp_path: Path, script: str) -> None:
    code = snippet("""
        import sys
        from pathlib import Path
        from untildone.checks.parallel_run import RunOptions, run_checks
        from untildone.core.contract import Check
        place = Path(sys.argv[1])
        check = Check(name='t', command=sys.argv[2], env={'MEGABYTES': '1000'})
        run_checks([check], RunOptions(project=place, logs=place / 'logs'))
        print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])
    """)
    line = shlex.join(command(script))
    argv = [sys.executable, "-c", code, str(tmp_path), line]
    reported = subprocess.check_output(argv, env=Marked().env, timeout=300)
    assert int(reported) < 64 * 1024
