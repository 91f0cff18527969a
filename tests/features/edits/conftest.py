"""A world whose language servers end with the test."""

from collections.abc import Iterator

import pytest

from keepers import end_keepers
from world import World


@pytest.fixture
def world(world: World) -> Iterator[World]:
    yield world
    end_keepers(world.project)
