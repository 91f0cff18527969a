"""A process that saves rounds and says so after each: `writer.py HOME LOOP SAVES [DIE_AT_CALL]`."""

import os
import signal
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from store.faults import at_call
from store.samples import advance
from untildone.store.loops import Loops


def save_rounds(loops: Loops, loop_id: str, count: int) -> None:
    for _ in range(count):
        with loops.lock(loop_id):
            record = advance(loops, loops.load(loop_id))
        print(record.progress.round, flush=True)  # noqa: T201 - the test reads it


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(home: str, loop_id: str, saves: str, die_at: str = "0") -> None:
    with at_call(int(die_at), die):
        save_rounds(Loops(Path(home)), loop_id, int(saves))


if __name__ == "__main__":
    main(*sys.argv[1:])
