"""The control of every scenario: the same script where untildone is not installed."""

import functools
import tempfile
from collections.abc import Sequence
from pathlib import Path

from client.script import Step
from client.world import ClientWorld


def requests_without_us(steps: Sequence[Step], prompt: str = "please work", *arguments: str) -> int:
    """How many requests the client makes on its own: it ends where the model first does."""
    first = steps[0]
    assert isinstance(first, str), "a control that ends in one request begins with a text"
    return _requests(first, prompt, *arguments)


@functools.cache
def _requests(first: str, prompt: str, *arguments: str) -> int:
    """Once for all scripts with this beginning: no more of them is ever played."""
    with tempfile.TemporaryDirectory(prefix="control-") as folder:
        world = ClientWorld(Path(folder), install="none")
        result, server = world.run([first], prompt, *arguments)
    assert result.exit_code == 0
    return len(server.requests)
