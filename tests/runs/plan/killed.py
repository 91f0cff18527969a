"""`killed.py before|after N ARGUMENTS…`: untildone, killed at its Nth write to a journal."""

import os
import signal
import sys
import threading

from untildone.cli.main import main

_ACTS = ("open", "os.mkdir", "os.rename", "os.remove", "subprocess.Popen")


class Killer:
    """Every write begins with an `open` to append; what its thread does next comes after it."""

    def __init__(self, when: str, number: int) -> None:
        self._before = when == "before"
        self._left = number
        self._thread = 0

    def __call__(self, event: str, given: tuple[object, ...]) -> None:
        ours = self._thread == threading.get_ident()
        # The file object made of the descriptor is an `open` of a number.
        if ours and event in _ACTS and not isinstance(given[0], int):
            os.kill(os.getpid(), signal.SIGKILL)
        if event != "open" or not str(given[0]).endswith("journal.jsonl"):
            return
        flags = given[2]
        if isinstance(flags, int) and flags & os.O_APPEND:
            self._left -= 1
            if not self._left and self._before:
                os.kill(os.getpid(), signal.SIGKILL)
            if not self._left:
                self._thread = threading.get_ident()


if __name__ == "__main__":
    sys.addaudithook(Killer(sys.argv[1], int(sys.argv[2])))
    sys.exit(main(sys.argv[3:]))
