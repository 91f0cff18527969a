"""Whatever a file holds, reading it ends in time; `test_every_hostile_source.py` tries them all."""

import sys
from pathlib import Path

import pytest

from integrity.hostile_runs import measure
from integrity.hostile_sources import LANGUAGES, SHAPES

# Each shape in one language, each language with one shape.
PAIRS = list(zip(LANGUAGES, SHAPES, strict=True))


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize(("language", "shape"), PAIRS)
def test_a_hostile_source_is_read_in_bounded_time(
    tmp_path: Path, language: str, shape: str
) -> None:
    seconds, megabytes = measure(tmp_path, language, shape, size=60_000)
    assert seconds < 20
    assert megabytes < 400
