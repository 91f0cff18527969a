"""Steps run in their order, each once, whoever records them."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from untildone.runs.tasks.recorded_steps import Step, run_steps


class Found(Struct, frozen=True):
    words: tuple[str, ...] = ()


def make_steps(ran: list[str], *names: str) -> list[Step[Found]]:
    def make(name: str) -> Step[Found]:
        def run(found: Found) -> Found:
            ran.append(name)
            return replace(found, words=(*found.words, name))

        return Step(name=name, run=run)

    return [make(name) for name in names]


def test_recorded_steps_are_not_run_again() -> None:
    ran: list[str] = []
    recorded: dict[str, str] = {}

    def record(name: str, step: Callable[[], str]) -> str:
        if name not in recorded:
            recorded[name] = step()
        return recorded[name]

    steps = make_steps(ran, "fetch", "work", "push")
    for _ in range(2):
        found = run_steps(steps, Found(), record=record, ends=lambda _found: False)
        assert found == Found(("fetch", "work", "push"))
    assert ran == ["fetch", "work", "push"]


def test_a_step_may_end_the_task() -> None:
    ran: list[str] = []
    steps = make_steps(ran, "fetch", "work", "push")

    run_steps(
        steps, Found(), record=lambda _name, step: step(), ends=lambda found: "work" in found.words
    )

    assert ran == ["fetch", "work"]
