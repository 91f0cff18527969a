"""A live page of the state in `world`."""

from collections.abc import Iterator

import pytest

from web.visitor import LivePage, serve_page
from world import World


@pytest.fixture
def page(world: World) -> Iterator[LivePage]:
    with serve_page(world.context) as page:
        yield page
