"""The demo shows the scene, proves it, and leaves nothing but its report behind."""

import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from client.world import MEASURED
from process.hostile_programs import wait_until
from untildone.cli.demo import play
from untildone.cli.demo_display import DemoDisplay
from untildone.runs.demo_scene import SCRIPT

UNTILDONE = Path(sys.executable).parent / "untildone"


def demo(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    home = folder / "home"
    temporary = folder / "tmp"
    home.mkdir()
    temporary.mkdir()
    return subprocess.run(
        [UNTILDONE, "demo", *options],
        cwd=folder,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(home),
            "TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
            "UNTILDONE_DISABLE": "1",
            "CLAUDE_CODE_SESSION_ID": "of-another",
            **MEASURED,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def stage() -> tuple[DemoDisplay, io.StringIO]:
    file = io.StringIO()
    return DemoDisplay(Console(file=file, width=100)), file


def test_the_agent_is_held_twice_and_then_let_go(tmp_path: Path) -> None:
    done = demo(tmp_path, "--headless")

    shown = [line.strip() for line in done.stdout.splitlines()]
    verdicts = [line for line in shown if re.search(r"held, round|released", line)]
    assert (done.returncode, done.stderr) == (0, "")
    assert verdicts == [
        "untildone  not done: held, round 1",
        "untildone  not done: held, round 2",
        "untildone  done: released, round 3",
    ]
    assert "✗ test  red, 1 passed, 1 failed: AssertionError: 40 != 45" in shown
    assert any(line.startswith("✗ test  no test was run") for line in shown)
    assert "✓ test  green, 2 passed, 0 failed" in shown
    assert re.search(r"^# Receipt of loop \w+: done$", done.stdout, re.MULTILINE)


def list_left_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name not in ("home", "tmp")]


def test_it_leaves_only_the_report_that_it_names(tmp_path: Path) -> None:
    """Sandboxes are removed by a process of their own, for which nobody waits."""
    end = demo(tmp_path).stdout.splitlines()[-1]

    (named,) = re.findall(r"The same as a page: (\S+\.html) ", end)
    assert "Done, after 3 rounds" in Path(named).read_text(encoding="utf-8")
    assert wait_until(lambda: list_left_files(tmp_path) == [Path(named)]), list_left_files(tmp_path)


@pytest.mark.parametrize("seconds", [0, 0.3, 0.6, 0.9])
def test_a_demo_that_is_broken_off_leaves_nothing_behind(tmp_path: Path, seconds: float) -> None:
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    child = subprocess.Popen([UNTILDONE, "demo"], env=environ, stdout=subprocess.PIPE)
    assert child.stdout is not None
    # The second paragraph is there: the project is set up, and a hook is at work.
    for _ in range(6):
        child.stdout.readline()
    time.sleep(seconds)

    child.terminate()
    child.communicate(timeout=20)

    assert wait_until(lambda: not list_left_files(tmp_path)), list_left_files(tmp_path)


def test_an_agent_that_never_repairs_fails_the_demo() -> None:
    place, shown = stage()

    assert play(SCRIPT[:2], place) == 1
    end = "the demo did not go as expected: Continue, Continue; then out of script"
    assert shown.getvalue().splitlines()[-1] == end


def test_an_agent_that_is_done_at_once_fails_the_demo() -> None:
    place, shown = stage()

    assert play(SCRIPT[2:], place) == 1
    assert shown.getvalue().splitlines()[-1].endswith("expected: Finish; then let go")


def test_a_terminal_without_unicode_gets_plain_marks(tmp_path: Path) -> None:
    done = subprocess.run(
        [UNTILDONE, "demo", "--fast"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert done.returncode == 0
    assert "x lint  red: SyntaxError" in done.stdout
