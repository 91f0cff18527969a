"""A round of a headless run, against the agent's own process."""

import os
import subprocess
import uuid
from functools import partial
from pathlib import Path

from bench.plan_runs import PROGRAM
from bench.table import Row, measure_medians, measure_seconds
from untildone.core.verdict import OUTCOMES
from untildone.process.command import parse_argv
from untildone.runs.scripted_agent import Shell
from untildone.runs.scripted_client import Step, write_script

# A short turn of a real model; most are longer.
TURN = Step(edits=(Shell(command="sleep 3"),), says="Done.")
ROUNDS = 4
OUT_OF_ROUNDS = OUTCOMES["out-of-rounds"].exit_code


def measure(folder: Path) -> list[Row]:
    client = write_script(folder / "script.json", [TURN])
    (alone,) = measure_medians([partial(call_client, folder, client)], rounds=ROUNDS - 1)
    one, all_of_them = (
        measure_seconds(partial(run_rounds, folder, client, rounds)) for rounds in (1, ROUNDS)
    )
    # What a run costs once, its start and its end, is in both.
    each = (all_of_them - one) / (ROUNDS - 1)
    return [Row("a round of `run`, an agent's turn of 3 s", each / alone, 1.05, "the agent alone")]


def call_client(folder: Path, client: str) -> None:
    argv = [*parse_argv(client), "-p", "--session-id", str(uuid.uuid4())]
    subprocess.run(argv, cwd=folder, input=b"Go on.", check=True, capture_output=True)


def run_rounds(folder: Path, client: str, rounds: int) -> None:
    """Never green: it ends at its bound."""
    project = folder / f"rounds-{rounds}"
    project.mkdir()
    environ = {**os.environ, "UNTILDONE_HOME": str(folder / "state"), "HOME": str(folder)}
    given = ("--check", "test -f never", "--rounds", str(rounds), "--stagnation-limit", "0")
    argv = [str(PROGRAM), "run", "Work.", *given, "--client", client]
    done = subprocess.run(argv, cwd=project, env=environ, check=False, capture_output=True)
    if done.returncode != OUT_OF_ROUNDS:
        raise RuntimeError(done.stderr.decode())
