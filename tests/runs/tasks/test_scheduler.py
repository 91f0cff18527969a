"""Tasks are started while there are free places, until none is left or somebody stops it."""

import pytest

from untildone.runs.tasks.scheduler import Scheduler


class Sequence(Scheduler[str]):
    """Tasks that end at the next look, unless they are slow; the log says what happened."""

    jobs = 2

    def __init__(self, *tasks: str, stops_at: str = "", arriving: tuple[str, ...] = ()) -> None:
        self.left = list(tasks)
        self.arriving = list(arriving)
        self.running: list[str] = []
        self.stops_at = stops_at
        self.log: list[str] = []

    def take(self) -> str | None:
        return self.left.pop(0) if self.left else None

    def start(self, task: str) -> None:
        self.running.append(task)
        self.log.append(task)

    def count_running(self) -> int:
        return len(self.running)

    def note_ended(self) -> None:
        self.running = [f"{task[:-1]}" for task in self.running if task.endswith("!")]

    def is_stopping(self) -> bool:
        return self.stops_at in self.log

    def stop_running(self) -> None:
        self.log.append("stop")

    def expects_more(self) -> bool:
        return bool(self.arriving)

    def wait(self) -> None:
        self.log.append("wait")
        if self.arriving and not self.running:
            self.left.append(self.arriving.pop())


@pytest.mark.parametrize(
    ("scheduler", "log"),
    [
        pytest.param(Sequence(), "", id="nothing"),
        pytest.param(Sequence("a", "b", "c"), "a b wait c wait", id="two at once"),
        pytest.param(Sequence("a!", "b", "c"), "a! b wait c wait", id="one is slow"),
        pytest.param(Sequence(arriving=("a",)), "wait a wait", id="one comes later"),
        pytest.param(
            Sequence("a!!", "b", "c", stops_at="b"),
            "a!! b wait stop wait stop wait stop",
            id="what runs ends first",
        ),
    ],
)
def test_the_loop(scheduler: Sequence, log: str) -> None:
    scheduler.run_tasks()

    assert " ".join(scheduler.log) == log
