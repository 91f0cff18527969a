"""The two marks of a check, each where the other is missing."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from untildone import check_lineage
from untildone.check_lineage import make_mark, name_process, register_home
from untildone.process.runner import run
from untildone.process.system import Posix

ASK = """\
import os, sys
sys.path.insert(0, sys.argv[2])
from untildone.check_lineage import find_check_ancestor
print(bool(find_check_ancestor(sys.argv[1], dict(os.environ))))
"""
SOURCE = str(Path(check_lineage.__file__).parents[1])


def is_below(home: Path, *through: str, **environ: str) -> bool:
    """Whether a process takes itself to be below a check; nothing of ours runs it."""
    argv = [*through, sys.executable, "-c", ASK, str(home), SOURCE]
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=True)
    return done.stdout == "True\n"


def test_a_process_that_is_below_nothing_of_ours(tmp_path: Path) -> None:
    assert not is_below(tmp_path)
    assert not is_below(tmp_path / "none", UNTILDONE_RUN=make_mark(str(tmp_path)))


def test_the_variable_suffices(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    marked = f"untildone-zzzzz.1,{make_mark(str(tmp_path))}.2"

    assert is_below(tmp_path, UNTILDONE_RUN=marked)
    assert not is_below(other, UNTILDONE_RUN=marked)


def test_the_variable_of_an_ancestor_suffices_after_it_was_cleaned(tmp_path: Path) -> None:
    # The `:` keeps sh in between: it would let the last command take its place.
    through = ("sh", "-c", 'env -i "$@"; :', "sh")

    assert is_below(tmp_path, *through, UNTILDONE_RUN=f"{make_mark(str(tmp_path))}.1")
    assert not is_below(tmp_path, *through, UNTILDONE_RUN="another.1")


@pytest.mark.skipif(sys.platform != "linux", reason="names of processes are Linux's")
def test_the_name_of_an_ancestor_suffices(tmp_path: Path) -> None:
    before = name_process(make_mark(str(tmp_path)).encode())
    try:
        found = is_below(tmp_path)
    finally:
        name_process(before)

    assert (found, is_below(tmp_path)) == (True, False)


@pytest.mark.parametrize(("hosts_agent", "expected"), [(False, "True\n"), (True, "False\n")])
def test_what_a_run_starts_is_below_a_check_unless_it_hosts_an_agent(
    tmp_path: Path, *, hosts_agent: bool, expected: str
) -> None:
    name = Path("/proc/self/comm").read_text(encoding="utf-8")
    register_home(str(tmp_path))
    try:
        clean = ["env", "-i", sys.executable, "-c", ASK, str(tmp_path), SOURCE]
        found = run(clean, cwd=tmp_path, timeout=30, env=os.environ, hosts_agent=hosts_agent)
    finally:
        register_home("")

    assert found.text == expected
    assert Path("/proc/self/comm").read_text(encoding="utf-8") == name


def test_ps_reports_what_an_ancestor_was_started_with() -> None:
    def ask(argv: Sequence[str]) -> str:
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    with subprocess.Popen(["sleep", "60"], env={"UNTILDONE_RUN": "untildone-12345.1"}) as process:
        shown = Posix(ask).read_environment(process.pid)
        process.kill()

    assert check_lineage.read_variable(shown) == b"untildone-12345.1"
