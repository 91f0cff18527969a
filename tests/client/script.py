"""What the scripted model does next: the steps of a script."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from client.model_request import Request


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call of the model."""

    tool: str
    input: Mapping[str, Any] = field(default_factory=dict)


def bash(command: str, **extra: Any) -> Call:  # noqa: ANN401  # any JSON value
    return Call("Bash", {"command": command, "description": "scripted", **extra})


@dataclass(frozen=True, slots=True)
class Fail:
    """An HTTP error instead of an answer."""

    status: int
    kind: str = "api_error"
    text: str = "scripted failure"


@dataclass(frozen=True, slots=True)
class Delay:
    """The model thinks for some seconds, then takes the step."""

    seconds: float
    then: "Step"


@dataclass(frozen=True, slots=True)
class Billed:
    """A step with its own token counts: the client makes its cost and context size of them."""

    then: "Step"
    input_tokens: int = 100
    output_tokens: int = 5


class Gate:
    """The model thinks until the test lets it answer."""

    def __init__(self, then: "Step") -> None:
        self.then = then
        self._reached = threading.Event()
        self._opened = threading.Event()

    def wait_reached(self, timeout: float = 15) -> None:
        if not self._reached.wait(timeout):
            raise TimeoutError(f"no request reached the gate within {timeout} s")

    def open(self) -> None:
        self._opened.set()

    def pass_through(self) -> "Step":
        self._reached.set()
        self._opened.wait()
        return self.then


Block: TypeAlias = str | Call
# A text, a tool call or several of both at once; trouble; or a function of the request.
Step: TypeAlias = (
    Block | Sequence[Block] | Fail | Delay | Billed | Gate | Callable[[Request], "Step"]
)


@dataclass(frozen=True, slots=True)
class Answer:
    blocks: tuple[Block, ...]
    input_tokens: int = 100
    output_tokens: int = 5


def take(step: Step, request: Request) -> Answer | Fail:
    """Lives through the step, waiting included, and gives what it comes to."""
    match step:
        case str() | Call():
            return Answer((step,))
        case Fail():
            return step
        case Delay():
            time.sleep(step.seconds)
            return take(step.then, request)
        case Gate():
            return take(step.pass_through(), request)
        case Billed():
            return _billed(step, take(step.then, request))
        case _ if callable(step):
            return take(step(request), request)
        case _:
            return Answer(tuple(step))


def _billed(step: Billed, answer: Answer | Fail) -> Answer | Fail:
    if isinstance(answer, Fail):
        return answer
    return Answer(answer.blocks, step.input_tokens, step.output_tokens)
