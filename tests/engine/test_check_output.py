"""The last lines of running checks, as the live page shows them."""

import threading
import time

from snippets import snippet
from untildone.engine.check_output import OUTPUT
from untildone.engine.request import name_checks
from world import World

# Prints more than is kept, a secret and an escape, and waits.
CHECK = (
    snippet("""
    seq 5000; printf 'token=ghp_0123456789abcdefghijklmnopqrstuvwxyz\\n\\033[31mlast\\033[0m\\n'
    while ! test -f go; do sleep 0.05; done
""")
    .replace("\n", "; ")
    .replace("do;", "do")
)


def wait_for_output(world: World) -> dict[str, object]:
    deadline = time.monotonic() + 30
    while not (found := world.session.read_json(OUTPUT)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def test_the_last_lines_are_there_while_the_check_runs(world: World) -> None:
    world.start(checks=name_checks((CHECK,)), baseline="none")
    stop = threading.Thread(target=world.stop)
    stop.start()

    found = wait_for_output(world)
    world.write("go", "")
    stop.join()

    (text,) = found.values()
    lines = str(text).splitlines()
    assert (len(lines), lines[0], lines[-1]) == (8, "4995", "last")
    assert "ghp_0123" not in str(text)
    assert world.session.has(OUTPUT) is False
